Network plain {
  Layer Grouped { Type: NGCONV Stride { X: 1, Y: 1 } Dimensions { G: 4, K: 8, C: 4, R: 3, S: 3, Y: 10, X: 10 } }
  Layer Up { Type: TRCONV Stride { X: 1, Y: 1 } Dimensions { K: 8, C: 16, R: 2, S: 2, Y: 9, X: 9 } }
}
