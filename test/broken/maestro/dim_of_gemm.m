Network net {
  Layer conv {
    Type: GEMM
    Dimensions { M: 8, N: 8, K: 8, Y: 4 }
  }
}
