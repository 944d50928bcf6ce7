Network net {
  Layer conv {
    Type: CONV
