#!/bin/sh
# An experiment file of the TENET program alone: AlexNet's CONV3 row-stationary, filter reuse 169, output 144 (section VI-E
# of the paper).
. "$2/test/cli/harness"
sator analyze "$SOURCE/test/tenet/published/data/alexnet/experiment/experiment_3" --csv >out
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "tensor") t = i - NF; else if ($i == "tensor.reuse_factor") f = i - NF }
    NR > 1 && $(NF + t) != "I" { print $(NF + t), $(NF + f) }' out
