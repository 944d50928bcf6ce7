Constant a;
Network net {
  Layer one {
    Typ: CONV
  }
  Layer two {
    Type: CONV
    Dimensions { K: 8, C: x }
  }
}
