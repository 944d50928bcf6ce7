"""usage: large.py FILE: a model of one MatMul whose weights, 2 GB of them, are a hole in the file."""
import sys


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def number(field_number, value):
    return varint(field_number << 3) + varint(value)


def dims(*extents):
    return b"".join(number(1, n) for n in extents)


def value(name, *extents):
    shape = b"".join(field(1, number(1, n)) for n in extents)
    return field(1, name) + field(2, field(1, number(1, 1) + field(2, shape)))


SIZE = 2**31
node = field(1, b"x") + field(1, b"w") + field(2, b"y") + field(3, b"large") + field(4, b"MatMul")
tensor = dims(2**14, 2**15) + number(2, 1) + field(8, b"w") + varint(9 << 3 | 2) + varint(SIZE)
before = field(1, node)
after = field(11, value(b"x", 64, 2**14)) + field(12, value(b"y", 64, 2**15))
weights = varint(5 << 3 | 2) + varint(len(tensor) + SIZE) + tensor
with open(sys.argv[1], "wb") as out:
    out.write(number(1, 8) + varint(7 << 3 | 2) + varint(len(before) + len(weights) + SIZE + len(after)))
    out.write(before + weights)
    out.seek(SIZE, 1)
    out.write(after)
