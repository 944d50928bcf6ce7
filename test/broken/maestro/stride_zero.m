Network net {
  Layer conv {
    Type: CONV
    Stride { X: 0, Y: 1 }
    Dimensions { K: 8, C: 4, R: 3, S: 3, Y: 10, X: 10 }
  }
}
