Network channels {
  Constant Wide 64;
  Layer Depthwise { Type: DSCONV Stride { X: 1, Y: 1 } Dimensions { K: 1, C: 32, R: 3, S: 3, Y: 16, X: 16 }
    Dataflow { SpatialMap(1,1) C; TemporalMap(Sz(R),1) Y; TemporalMap(Sz(S),1) X; TemporalMap(Sz(R),Sz(R)) R; TemporalMap(Sz(S),Sz(S)) S; } }
  Layer Pointwise { Type: CONV Stride { X: 1, Y: 1 } Dimensions { K: 64, C: 32, R: 1, S: 1, Y: 14, X: 14 }
    Dataflow { SpatialMap(1,1) K; TemporalMap(32,32) C; TemporalMap(Sz(R),1) Y; TemporalMap(Sz(S),1) X; TemporalMap(Sz(R),Sz(R)) R; TemporalMap(Sz(S),Sz(S)) S;
      Cluster(32, P); SpatialMap(1,1) C; TemporalMap(Sz(R),1) Y; TemporalMap(Sz(S),1) X; } }
}
