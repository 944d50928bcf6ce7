#!/bin/sh
# `pip install .` without a network; the wheel, built once, under every interpreter from 3.11 on that is here.
# usage: wheel.sh SOURCE PYTHON
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
"$2" -m pip --version >/dev/null 2>&1 || { echo "SKIP: no pip (python3-pip)"; exit 77; }
export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1
unset PYTHONPATH LD_PRELOAD
# The release build, where there is one, saves a minute of compiling.
settings=""
[ -f "$1/build/Makefile" ] && settings="--config-settings=builddir=$1/build"
# shellcheck disable=SC2086
"$2" -m pip wheel --quiet --no-deps $settings --wheel-dir "$work" "$1" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
wheel=$(ls "$work"/*.whl)
case $wheel in *-cp311-abi3-*.whl) ;; *) echo "the wheel is called $wheel"; exit 1 ;; esac
"$2" -m pip install --quiet --no-deps --target "$work/site" "$wheel" || exit 1
cat >"$work/try.py" <<'END'
import sys
import sator

flow = sator.Dataflow(space="i%8, j%8", time="i/8, j/8, i%8 + j%8 + k")
result = sator.analyze("gemm", "systolic-2d-8x8", flow)
assert result["latency_cycles.roofline"] == 524288 < result.total_cycles, result.total_cycles
assert sator.map("gemm:i=16,j=16,k=16", "conventional").proved
try:
    sator.Dataflow(space="i%0", time="j")
except sator.InputError as error:
    assert error.line == 1
print("Python %d.%d" % sys.version_info[:2])
END
tried=""
for python in "$2" $(ls /usr/bin/python3.1[1-9] /usr/local/bin/python3.1[1-9] "$HOME"/.pyenv/versions/3.1[1-9]*/bin/python 2>/dev/null); do
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    case " $tried " in *" $version "*) continue ;; esac
    PYTHONPATH="$work/site" "$python" "$work/try.py" || { echo "$python fails"; exit 1; }
    tried="$tried $version"
done
# An interpreter that is too old is told so.
for python in $(ls /usr/bin/python3.[89] /usr/bin/python3.10 "$HOME"/.pyenv/versions/3.10*/bin/python 2>/dev/null); do
    PYTHONPATH="$work/site" "$python" -c 'import sator' 2>&1 | grep -q 'needs Python 3.11' || { echo "$python"; exit 1; }
done
