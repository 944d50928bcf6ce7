"""usage: extents.py SATOR MODEL...: every Conv, ConvTranspose, Gemm and MatMul of the models, as "sator show" prints
it, against the extents that follow from the shapes that python3-onnx infers. Prints how many were equal."""
import math
import subprocess
import sys

import onnx
import yaml
from onnx import shape_inference


def shapes_of(model):
    graph = shape_inference.infer_shapes(model).graph
    shapes = {t.name: list(t.dims) for t in graph.initializer}
    for value in list(graph.input) + list(graph.output) + list(graph.value_info):
        if value.type.HasField("tensor_type") and value.type.tensor_type.HasField("shape"):
            shapes[value.name] = [d.dim_value for d in value.type.tensor_type.shape.dim]
    for node in graph.node:
        for attribute in node.attribute:
            if node.op_type == "Constant" and attribute.name == "value":
                shapes[node.output[0]] = list(attribute.t.dims)
    return shapes


def extents_of(node, shapes):
    """The extents of the node's loops, sorted, those of 1 left out; None when a shape is not known."""
    a, b, y = (shapes.get(name) for name in (node.input[0], node.input[1], node.output[0]))
    attributes = {x.name: onnx.helper.get_attribute_value(x) for x in node.attribute}
    if a is None or b is None or y is None or 0 in a + b + y:
        return None
    if node.op_type == "Conv":
        loops = [y[0], y[1], b[1]] + y[2:] + b[2:]
    elif node.op_type == "ConvTranspose":
        group = attributes.get("group", 1)
        loops = [a[0], a[1] // group * group, b[1]] + a[2:] + b[2:]
    elif node.op_type == "Gemm":
        loops = y + [a[0] if attributes.get("transA", 0) else a[1]]
    else:
        loops = y + [a[-1]]
    return math.prod(loops), max(loops)


def compare(sator, path):
    model = onnx.load(path, load_external_data=False)
    shapes = shapes_of(model)
    # a name that Sator makes up for a node without one is OPERATOR_NUMBER
    nodes = {n.name or f"{n.op_type}_{i + 1}": n for i, n in enumerate(model.graph.node)}
    shown = subprocess.run([sator, "show", "-q", path], capture_output=True, text=True)
    wanted = [n for n in nodes.values() if n.op_type in ("Conv", "ConvTranspose", "Gemm", "MatMul")]
    if shown.returncode != 0:
        sys.exit(f"{path}: sator show failed\n{shown.stderr}") if wanted else None
        return 0
    network = yaml.safe_load(shown.stdout)
    equal = 0
    for layer in network.get("layers", [network]):
        for run in layer["runs"]:
            node = nodes.get(run["node"])
            if node is None or node not in wanted:
                continue
            wanted.remove(node)
            sizes = [int(n) for n in layer["sizes"].values()]
            expected = extents_of(node, shapes)
            got = math.prod(sizes), max(sizes)
            grouped = any(x.name == "group" and x.i > 1 for x in node.attribute)
            # groups split a channel loop in two: only the product is then the same
            if expected is not None and (got[0] != expected[0] or (got[1] != expected[1] and not grouped)):
                sys.exit(f"{path}: {run['node']}: {layer['sizes']}, expected a product of {expected[0]}, at most {expected[1]}")
            equal += expected is not None
    if wanted:
        sys.exit(f"{path}: no layer for {[n.name for n in wanted]}")
    return equal


print(sum(compare(sys.argv[1], path) for path in sys.argv[2:]))
