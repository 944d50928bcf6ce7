l1_size_cstr: 100
l2_size_cstr: 3000
