#!/bin/sh
# The arrows of a page are the words that an execution moves over links (test/tool/events.py).
exec python3 "$2/test/tool/events.py" "$1"
