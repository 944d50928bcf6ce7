num_pes: 256
l1_size_cstr 100
