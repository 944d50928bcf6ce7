#!/bin/sh
# Maximal tiles of the memory just inside the outermost one: where each condition of the rule is what keeps the best mapping in, the
# search finds what enumeration does. (How much the rule spares: map_effort.)
. "$2/test/cli/harness"
value() { # STRATEGY: what it finds
    sator map w.yaml --arch m.yaml --objective "$objective" --strategy "$1" --timing roofline --json | tr -d '[:space:]"' | tr ',' '\n' | sed -n 's/^value://p' | head -n 1
}
compare() { # OBJECTIVE WHAT: of the workload and the machine
    objective=$1
    echo "$(value optimal) $(value exhaustive)" | awk -v what="$2" '{print what ": " ($1 > 0 && $1 <= $2 * (1 + 1e-9) && $2 <= $1 * (1 + 1e-9) ? "the least of all" : $0)}'
}
machine() { # DRAM L2 L1: energies and capacities
    cat <<END
levels:
  - {memory: DRAM, $1}
  - {memory: L2, $2}
  - {memory: L1, $3}
  - {compute: mac, energy_pj: 1, cycles: 1}
END
}
# No loop at L2 that moves B or Y: what is kept in L1 from one tile of L2 to the next would be lost.
cat >w.yaml <<'END'
sizes: {i: 8, j: 2, k: 3}
op: "Y[i,j] += A[i,k] * B[k,j]"
word_bits: {A: 16, B: 64, Y: 8}
END
machine 'energy_pj: {read: 60, write: 5}' 'energy_pj: {read: 60, write: 2}, capacity_words: {A: 3, B: 3, Y: 1}' \
    'energy_pj: {read: 20, write: 2}, capacity_words: {A: 2, B: 1, Y: 1}' >m.yaml
compare energy 'nothing kept'
# A loop there that moves the tensor, but shares its index: the tile is not another one altogether.
cat >w.yaml <<'END'
sizes: {x: 12, y: 8, r: 4}
op: "Y[x,y] += A[x+r,y] * B[r]"
word_bits: {A: 64, B: 16, Y: 64}
END
machine 'energy_pj: {read: 60, write: 2}, bandwidth_bits: {read: 32, write: 8}' 'energy_pj: {read: 5, write: 1}, capacity_words: {A: 12, B: 3, Y: 16}' \
    'energy_pj: {read: 5, write: 5}, capacity_words: {A: 3, B: 2, Y: 2}' >m.yaml
compare edp 'alone in an index'
# A tensor that slides along L2's loops: a step further out undoes a part of one, and keeps what it had.
cat >w.yaml <<'END'
sizes: {k: 2, c: 2, x: 12, r: 2}
op: "Y[k,x] += A[c,x+2*r] * B[k,c,r]"
word_bits: {A: 64, B: 8, Y: 16}
END
machine 'energy_pj: {read: 5, write: 20}, bandwidth_bits: {read: 8, write: 128}' 'energy_pj: {read: 2, write: 60}, capacity_words: 39' \
    'energy_pj: {read: 2, write: 60}, capacity_words: {A: 1, B: 3, Y: 1}' >m.yaml
compare edp 'a window'
