#!/bin/sh
# Energies and areas from Accelergy's files, and estimated: what a larger buffer costs, and which is best.
. "$2/test/cli/harness"
cat >ert.yaml <<'YAML'
ERT:
  version: '0.4'
  tables:
    - name: system.DRAM[1..1]
      actions:
        - {name: read, arguments: {x: 1}, energy: 512}
        - {name: update, arguments: {}, energy: 500}
    - name: system.L2[1..1]
      actions:
        - {name: read, arguments: {data_delta: 0}, energy: 1}
        - {name: read, arguments: {data_delta: 1}, energy: 4}
        - {name: write, arguments: {}, energy: 5}
        - {name: leak, arguments: {}, energy: 0.25}
    - name: system.PE[0..3].mac
      actions: [{name: mac_random, arguments: {}, energy: 2.2}]
YAML
printf 'ART:\n  tables:\n    - {name: "system.L2[1..1]", area: 1000}\n    - {name: system.PE.mac, area: 7.5}\n' >art.yaml
cat >arch.yaml <<'YAML'
levels:
  - {memory: DRAM}
  - {memory: L2, energy_pj: {write: 6}}
  - {array: PE, shape: [4]}
  - {compute: mac}
YAML
sator show arch.yaml --set 'energy_table=[ert.yaml, art.yaml]'
# a table may be for words of another width; what is stated stays as it is
sator show arch.yaml --set 'energy_table={name: ert.yaml, word_bits: 64}' | grep -o 'DRAM.*' | cut -d'}' -f1
printf 'ERT:\n  tables:\n    - {name: L2, actions: {read: 1}}\n    - {area: 3}\n    - {name: L2, actions: [{name: read}]}\n' >wrong.yaml
sator show arch.yaml --set energy_table=wrong.yaml || echo "exit $?"
# what cannot be meant
sator show conventional --set energy=guess || echo "exit $?"
sator show conventional --set energy=estimate --set technology_nm=5 || echo "exit $?"
sator show conventional --set levels.L2.banks=2 || echo "exit $?"
sator show arch.yaml --set energy=estimate || echo "exit $?"
