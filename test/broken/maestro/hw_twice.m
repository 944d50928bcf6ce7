num_pes: 256
num_pes: 128
