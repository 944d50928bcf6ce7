Network net {
  Layer conv {
    Type: CONV
    Dimensions { K: 8, C: 4, R: 3, S: 3, Y: 10, X: 10 }
    Dataflow {
      SpatialMap(1,1) K;
      Cluster(100000,P);
      Cluster(100000,P);
    }
  }
}
