// an accelerator of 64 PEs
num_pes: 64
l1_size_cstr: 512
l2_size_cstr: 65536
noc_bw_cstr: 16
offchip_bw_cstr: 4
