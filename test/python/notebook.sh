#!/bin/sh
# The notebook of examples/ runs from its first cell to its last, and shows tables and pictures.
# usage: notebook.sh SOURCE PYTHON
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export HOME="$work" JUPYTER_PLATFORM_DIRS=1
"$2" -c 'import matplotlib, nbconvert, pandas' 2>/dev/null || { echo "SKIP: no matplotlib, nbconvert and pandas"; exit 77; }
# A kernel of this interpreter, whatever others are installed.
mkdir -p "$work/kernels/python3"
printf '{"argv": ["%s", "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "Python 3", "language": "python"}' \
    "$2" >"$work/kernels/python3/kernel.json"
JUPYTER_PATH="$work" "$2" -m nbconvert --to notebook --execute --ExecutePreprocessor.timeout=500 --output-dir "$work" \
    --output run.ipynb "$1/examples/resnet50.ipynb" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$2" - "$work/run.ipynb" <<'END'
import json, sys

cells = [c for c in json.load(open(sys.argv[1]))["cells"] if c["cell_type"] == "code"]
kinds = [kind for c in cells for o in c["outputs"] for kind in o.get("data", {})]
lines = sum(1 for c in cells for line in "".join(c["source"]).split("\n") if line.strip())
assert lines < 30, lines
assert kinds.count("image/png") == 2, kinds
assert kinds.count("text/html") == 2, kinds
print(f"{lines} lines of code, {len(kinds)} outputs")
END
