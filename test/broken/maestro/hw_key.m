num_pes: 256
l1_size: 100
