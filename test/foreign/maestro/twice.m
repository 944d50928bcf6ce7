Network twice {
  Layer one { Type: GEMM Dimensions { M: 8, N: 8, K: 8 }
    Dataflow { SpatialMap(2,1) M; TemporalMap(1,1) N; } }
}
