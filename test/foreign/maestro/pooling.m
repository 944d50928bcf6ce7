Network pooling {
  Layer one { Type: POOL Dimensions { C: 8, R: 2, S: 2, Y: 8, X: 8 } }
}
