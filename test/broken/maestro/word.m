Network net {
  Layr conv {
  }
}
