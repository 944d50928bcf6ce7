Constant SzM 8;
Network net {
  Layer conv {
    Type: CONV
    Dimensions { K: SzN, C: 4, R: 3, S: 3, Y: 10, X: 10 }
  }
}
