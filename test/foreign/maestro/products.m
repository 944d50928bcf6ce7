Network products {
  Layer QK { Type: GEMM Dimensions { M: 128, N: 128, K: 64 }
    Dataflow { SpatialMap(1,1) M; TemporalMap(1,1) N; TemporalMap(64,64) K; Cluster(64, P); SpatialMap(1,1) K; } }
}
