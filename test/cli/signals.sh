#!/bin/sh
# What asks to stop, stops like Ctrl-C, with an exit code of its own; what the program was told to ignore stays ignored.
. "$2/test/cli/harness"
explore() { # the signals to send, before them what env(1) does to signals
    rm -f a.db*
    env "$1" "$SATOR" explore vgg16-conv3_2 --arch mesh-8x8 --pack 2 --prune none --no-symmetry --threads 2 \
        --db a.db --quiet >/dev/null 2>err &
    shift
    until [ "$(sator query a.db --summary 2>/dev/null | grep -c ' done ')" -gt 0 ]; do sleep 0.05; done
    for signal in "$@"; do
        kill -s "$signal" $!
        sleep 1
    done
    wait $!
    echo "$*: exit $?, $(grep -c 'with --resume goes on' err) hint"
}
explore --default-signal=INT INT
explore --default-signal=TERM TERM
explore --default-signal=HUP HUP
explore --ignore-signal=HUP HUP TERM
explore --ignore-signal=INT INT TERM
true
