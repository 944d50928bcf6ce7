Network net {
  Layer conv {
    Type: CONV
    Dimensions { K: 0, C: 4, R: 3, S: 3, Y: 10, X: 10 }
  }
}
