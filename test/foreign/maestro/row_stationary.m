// Two layers with clusters: rows of filters in a cluster, rows of outputs beside each other.
Network rows {
  Layer CONV1 {
    Type: CONV
    Stride { X: 1, Y: 1 }
    Dimensions { K: 16, C: 8, R: 3, S: 3, Y: 34, X: 34 }
    Dataflow {
      TemporalMap(4,4) C;
      TemporalMap(16,16) K;
      SpatialMap(Sz(R),1) Y;
      TemporalMap(Sz(S),1) X;
      Cluster(Sz(R),P);
      TemporalMap(1,1) C;
      TemporalMap(1,1) K;
      SpatialMap(1,1) Y;
      SpatialMap(1,1) R;
      TemporalMap(Sz(S),Sz(S)) S;
    }
  }
  Layer CONV2 {
    Type: CONV
    Stride { X: 2, Y: 2 }
    Dimensions { K: 32, C: 16, R: 1, S: 1, Y: 32, X: 32 }
    Dataflow {
      SpatialMap(1,1) K;
      TemporalMap(16,16) C;
      TemporalMap(Sz(R),1) Y;
      TemporalMap(Sz(S),1) X;
      TemporalMap(Sz(R),Sz(R)) R;
      TemporalMap(Sz(S),Sz(S)) S;
    }
  }
}
