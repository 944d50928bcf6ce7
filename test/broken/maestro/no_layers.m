Network net {
}
