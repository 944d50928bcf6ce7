"""usage: symbolic.py FILE: attention as exporters write it, with symbolic batch and sequence: the heads are split by
shapes that are computed (Shape, Gather, Concat, Reshape), and no shape between is said."""
import sys

from onnx import TensorProto, helper as h, numpy_helper
import numpy as np


def constant(name, *values):
    return h.make_node("Constant", [], [name], value=numpy_helper.from_array(np.array(values, dtype=np.int64)))


nodes = [
    h.make_node("Shape", ["x"], ["shape"]),
    constant("zero", 0), constant("one", 1), constant("heads", 12), constant("width", 64), constant("all", -1),
    h.make_node("Gather", ["shape", "zero"], ["batch"], axis=0),
    h.make_node("Gather", ["shape", "one"], ["length"], axis=0),
    h.make_node("Concat", ["batch", "length", "heads", "width"], ["split"], axis=0),
    h.make_node("Mul", ["batch", "heads"], ["batched"]),
    h.make_node("Concat", ["batched", "length", "all"], ["folded"], axis=0),
]
for name in "qkv":
    nodes += [
        h.make_node("MatMul", ["x", "w" + name], [name]),
        h.make_node("Reshape", [name, "split"], [name + "_split"]),
        h.make_node("Transpose", [name + "_split"], [name + "_heads"], perm=[0, 2, 1, 3]),
        h.make_node("Reshape", [name + "_heads", "folded"], [name + "_folded"]),
    ]
nodes += [
    h.make_node("Transpose", ["k_folded"], ["k_turned"], perm=[0, 2, 1]),
    h.make_node("MatMul", ["q_folded", "k_turned"], ["scores"], name="scores"),
    h.make_node("Softmax", ["scores"], ["weights"], axis=-1),
    h.make_node("MatMul", ["weights", "v_folded"], ["y"], name="mixed"),
]
weights = [TensorProto(name="w" + name, data_type=TensorProto.FLOAT, dims=[768, 768]) for name in "qkv"]
graph = h.make_graph(nodes, "attention", [h.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "sequence", 768])],
                     [h.make_tensor_value_info("y", TensorProto.FLOAT, None)], weights)
model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)])
with open(sys.argv[1], "wb") as out:
    out.write(model.SerializeToString())
