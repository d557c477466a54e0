#!/usr/bin/env python3
"""Writes the corpus: small valid files of every format, from which the fuzzers start. Uses only the standard library;
deterministic. Usage: make_corpus.py [DIRECTORY]"""
import gzip
import io
import json
import math
import pathlib
import struct
import sys
import zipfile
import zlib

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "corpus")


def npy(descr, shape, data, fortran=False, version=1):
    header = f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {shape!r}, }}"
    prefix = 10 if version == 1 else 12
    header += " " * (-(prefix + len(header) + 1) % 16) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header.encode("latin1") + data


def npz(arrays, packed=False, comment=b""):
    buffer = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.comment = comment
        for name, content in arrays.items():
            member = zipfile.ZipInfo(name + ".npy")  # 1980-01-01
            member.compress_type = method
            with archive.open(member, "w", force_zip64=packed) as file:
                file.write(content)
    return buffer.getvalue()


def csr(form="csr", order="<", packed=False, real="f", index="i"):
    code = {"f": "f4", "d": "f8", "i": "i4", "q": "i8"}
    indptr, indices, data = [0, 2, 2, 5], [6, 1, 0, 3, 4], [1.5, -2, 0, 4, 5]
    vector = lambda kind, values: npy(order + code[kind], (len(values),), struct.pack(f"{order}{len(values)}{kind}", *values))
    text = npy("|S3", (), form.encode()) if real == "f" else npy("<U3", (), form.encode("utf-32-le"))
    return npz({"indices": vector(index, indices), "indptr": vector(index, indptr), "format": text,
                "shape": vector("q", [3, 7]), "data": vector(real, data)}, packed)


def safetensors(tensors, metadata=None):
    header, data = ({"__metadata__": metadata} if metadata else {}), b""
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header, separators=(",", ":"))
    text += " " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text.encode() + data


def model(full, scale=1, offset=False):
    floats = lambda *values: struct.pack(f"<{len(values)}f", *values)
    tensors = {"dictionary": ("F32", [2, 3], floats(0.6 * scale, 0.8 * scale, 0, 0, 0, -scale))}
    if full:
        tensors["encoder"] = ("F32", [2, 3], floats(*(value * scale for value in range(1, 7))))
        tensors["bias"] = ("F32", [2], floats(0.5, -0.5))
        tensors["mean"] = ("F32", [3], floats(7, 8, 9))
    if offset:
        tensors["offset"] = ("F32", [3], floats(-1, 0.5, 2))
    return safetensors(tensors, {"format": "dltf-model", "k": "2" if full else "1", "option.theta": "0.5",
                                 "select": "positive" if full else "abs", "unit_norm": "true" if full else "false",
                                 "version": "1"})


def thresholded():
    floats = lambda *values: struct.pack(f"<{len(values)}f", *values)
    return safetensors({"dictionary": ("F32", [2, 3], floats(0.6, 0.8, 0, 0, 0, -1)), "scale": ("F32", [2], floats(2, 0.5)),
                        "threshold": ("F32", [2], floats(-1, 0.5)), "factor": ("F64", [1], struct.pack("<d", 1.5))},
                       {"format": "dltf-model", "k": "2", "select": "positive", "unit_norm": "false", "layer_norm": "true",
                        "version": "1"})


def autoencoder(thresholds):
    floats = lambda *values: struct.pack(f"<{len(values)}f", *values)
    tensors = {"W_enc": ("BF16", [2, 3], bytes.fromhex("803f0040404080bfa0400000")), "b_enc": ("F16", [3], bytes.fromhex("003c00bc0000")),
               "W_dec": ("F32", [3, 2], floats(1, 0, 0, 2, 0.6, 0.8)), "b_dec": ("F64", [2], struct.pack("<2d", 0.5, -1))}
    if thresholds:
        tensors["threshold"] = ("F32", [3], floats(0.1, -1, 2))
    return safetensors(tensors)


def network():
    floats = lambda *values: struct.pack(f"<{len(values)}f", *values)
    return safetensors({"0.weight": ("F32", [2, 3], floats(1, 2, 3, 4, 5, 6)), "0.bias": ("F32", [2], floats(7, 8)),
                        "1.weight": ("F32", [1, 2], floats(9, -1)), "1.bias": ("F32", [1], floats(0.5))},
                       {"activations": "relu linear", "format": "dltf-network", "version": "1"})


def classifier():
    floats = lambda *values: struct.pack(f"<{len(values)}f", *values)
    return safetensors({"0.weight": ("F32", [2, 1], floats(1, 2)), "0.bias": ("F32", [2], floats(7, 8)),
                        "scale": ("F32", [1], floats(0.5)), "classes": ("I64", [2], struct.pack("<2q", -3, 4))},
                       {"activations": "linear:1", "format": "dltf-network", "version": "1"})


def index(codes, width, tables):
    """Codes as numbers, the first byte lowest; tables of substrings as docs/formats.md describes."""
    padded = lambda content: content + bytes(-len(content) % 64)
    numbers = lambda values: padded(struct.pack(f"<{len(values)}I", *values))
    content = padded(b"DLTFINDX" + struct.pack("<IIQI", 1, width, len(codes), tables))
    content += padded(b"".join(code.to_bytes(width, "little") for code in codes))
    for t in range(tables):
        first, end = 8 * width * t // tables, 8 * width * (t + 1) // tables
        keys = [code >> first & (1 << end - first) - 1 for code in codes]
        content += numbers([sum(key < start for key in keys) for start in range((1 << end - first) + 1)])
        content += numbers(sorted(range(len(codes)), key=lambda row: keys[row]))
    return content


def hasher(method, tensors, **notes):
    floats = lambda *shape: ("F32", list(shape), struct.pack(f"<{math.prod(shape)}f", *[1] * math.prod(shape)))
    content = {"mean": floats(1), **{name: floats(*shape) for name, shape in tensors.items()}}
    return content, {"method": method, "bits": "8", "columns": "1", "format": "dltf-hasher", "version": "1", **notes}


def spectral_hasher():
    content, notes = hasher("sh", {"components": (1, 1), "frequency": (8,), "lowest": (8,)})
    content["component"] = ("I32", [8], bytes(32))
    return safetensors(content, notes)


def idx(code, shape, data):
    return bytes([0, 0, code, len(shape)]) + struct.pack(f">{len(shape)}I", *shape) + data


def png(colour, bits, raw, interlaced=0, extra=(), size=(3, 2)):
    chunk = lambda kind, content: struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    header = struct.pack(">IIBBBBB", *size, bits, colour, 0, 0, interlaced)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(chunk(*e) for e in extra)
            + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))


FLOATS = struct.pack("<6f", 1, 2, 3, 4, 5, 6)
MATRIX = npy("<f4", (2, 3), FLOATS)
IMAGES = idx(8, (2, 1, 3), bytes(range(1, 7)))
CORPUS = {
    "npy": {
        "f4": MATRIX,
        "f8_big_fortran": npy(">f8", (2, 1, 3), struct.pack(">6d", *range(6)), fortran=True, version=2),
        "u1": npy("|u1", (6,), bytes(range(6)), version=3),
        "i2": npy("<i2", (3, 2), struct.pack("<6h", *range(6)), fortran=True),
        "i8": npy(">i8", (1, 2), struct.pack(">2q", -1, 7)),
        "text": npy("<U2", (1,), "ab".encode("utf-32-le")),
    },
    "stream": {  # a byte for the target, then the content of the pipe
        "f4": b"\0" + MATRIX,
        "f8": b"\1" + npy(">f8", (3, 1, 2), struct.pack(">6d", *range(6)), version=2),
        "i8": b"\2" + npy(">i8", (2, 1), struct.pack(">2q", -1, 7)),
        "fortran": b"\0" + npy("<i2", (3, 2), struct.pack("<6h", *range(6)), fortran=True),
        "idx": b"\0" + IMAGES,
        "raw": b"\x83" + FLOATS,
        "tensors": b"\0" + safetensors({"i": ("U8", [3], b"abc"), "x": ("F16", [2, 3], bytes(12))}),
    },
    "npz": {
        "stored": npz({"a": MATRIX}),
        "deflated": npz({"a": MATRIX}, packed=True, comment=b"a comment"),
        "two": npz({"a": MATRIX, "b": npy("|u1", (3,), b"abc")}),
        "empty": npz({}),
        "sparse": csr(),
        "sparse-wide": csr(real="d", index="q"),
        "sparse-coo": csr(form="coo"),
    },
    "csv": {
        "comma": b"a,b\n1,2.5\n-3,4e5\n",
        "semicolon": b"\xef\xbb\xbf1;0.10000000000000001\r\n\r\nnan;-inf\r\n",
        "blanks": b"# comment\n 1  2\t3\n4 5 6",
        "quoted": b'"x, y","z ""q"""\n"1",2\n',
        "long": b"3.14159265358979323846264338327950288\t1e-320\n1e22\t9007199254740993\n",
    },
    "table": {  # a byte for the target, then the file
        "names": b"\4a,b,c\n1,x,3\n4,y,6\n",
        "drop": b"\x06a,b\n1,\nNA,2\n3,4\n",
        "mean": b"\x0ca;b;c\n1;;?\nnan;2;3\n",
        "ids": b"\0" + b"".join(b"%d,%d\n" % (i, i % 3) for i in range(12)),
    },
    "idx": {
        "u8": IMAGES,
        "u8.gz": gzip.compress(IMAGES, mtime=0),
        "i16": idx(0x0B, (2,), struct.pack(">2h", -1, 2)),
        "f32": idx(0x0D, (1, 2), struct.pack(">2f", -1, 2)),
        "f64": idx(0x0E, (1,), struct.pack(">d", 0.5)),
    },
    "cifar": {
        "two": b"".join(bytes([label]) + bytes((label + i) % 256 for i in range(3072)) for label in (9, 0)),
    },
    "vecs": {  # a byte for the target, then the file
        "fvecs": b"\0" + struct.pack("<i2fi2f", 2, 1, -2, 2, 3, 4),
        "bvecs": b"\1" + struct.pack("<i3si3s", 3, b"abc", 3, b"def"),
        "ivecs": b"\2" + struct.pack("<2i2i2i", 1, -1, 1, 0, 1, 2147483647),
        "ragged": b"\0" + struct.pack("<ifi2f", 1, 1, 2, 3, 4),
        "negative": b"\1" + struct.pack("<i3s", -3, b"abc"),
        "huge": b"\2" + struct.pack("<i", 2147483647),
    },
    "codes": {
        "plain": csr(),
        "packed": csr(packed=True),
        "wide": csr(real="d", index="q"),
        "big": csr(order=">"),
        "csc": csr(form="csc"),
    },
    "safetensors": {
        "empty": safetensors({}),
        "types": safetensors({"f": ("F32", [2, 1], bytes(8)), "d": ("F64", [1], bytes(8)), "q": ("I64", [1], bytes(8)),
                              "i": ("I32", [1], bytes(4)), "b": ("U8", [3], b"abc")}, {"note": "text \u00e4"}),
        "model": model(True),
    },
    "tensors": {
        "one": safetensors({"x": ("F16", [2, 3], bytes(range(12)))}),
        "axes": safetensors({"x": ("BF16", [1, 2, 3], bytes(12)), "ids": ("I64", [1], bytes(8))}, {"note": "text"}),
        "two": safetensors({"x": ("F32", [2, 3], FLOATS), "y": ("F64", [1], bytes(8))}),
        "bytes": safetensors({"b": ("U8", [3, 2], b"abcdef")}),
        "model": model(True),
    },
    "shards": {
        "two": b'{"metadata": {"total_size": 3}, "weight_map": {"x": "a.safetensors", "y": "b.safetensors"}}',
        "one": b'{"weight_map": {"z": "a.safetensors"}}',
    },
    "bin": {  # a byte for the target, then the file
        "f32": b"\0" + struct.pack("<II", 2, 3) + FLOATS,
        "u8": b"\1" + struct.pack("<II", 3, 2) + b"abcdef",
        "i8": b"\2" + struct.pack("<II", 1, 6) + b"abc\xff\xfe\x80",
        "f16": b"\3" + struct.pack("<II", 2, 3) + bytes(range(12)),
        "huge": b"\0" + struct.pack("<II", 4294967295, 4294967295),
    },
    "png": {
        "gray": png(0, 8, b"\0abc\1def"),
        "gray1": png(0, 1, b"\0\xa0\0\x40"),
        "gray16": png(0, 16, b"\0abcdef\2ghijkl"),
        "gray_transparent": png(0, 8, b"\0abc\1def", extra=[(b"tRNS", b"\0a")]),
        "colour": png(2, 8, b"\0abcdefghi\4jklmnopqr"),
        "palette": png(3, 4, b"\0\x01\x20\0\x21\0", extra=[(b"PLTE", b"abcdefghi"), (b"tRNS", b"\xff\xff")]),
        "gray_alpha": png(4, 8, b"\0a\xffb\xffc\xff\0d\xffe\xfff\xff"),
        "colour_alpha16": png(6, 16, (b"\0" + b"abcdef\xff\xff" * 3) * 2),
        "interlaced": png(0, 8, b"\0a\0b\0c\0def", interlaced=1),
        "text": png(0, 8, b"\0abc\0def", extra=[(b"tEXt", b"Title\0x"), (b"zTXt", b"A\0\0" + zlib.compress(b"note")), (b"gAMA", b"\0\0\xb1\x8f")]),
    },
    "pnm": {
        "p2": b"P2 # text\n2 2\n9\n1 2 3 4\n",
        "p3": b"P3\n1 1\n1023\n1 2 3",
        "p5": b"P5\n2 1\n255\nab",
        "p5_16": b"P5\n1 2 65535\nabcd",
        "p6": b"P6 1 1 255 abc",
        "p4": b"P4\n8 1\na",
    },
    "model": {"tied": model(False), "full": model(True), "offset": model(True, offset=True), "thresholded": thresholded()},
    "state": {name: model(True, scale) for name, scale in {"huge": 5e37, "large": 1e19, "tiny": 1e-44, "zero": 0}.items()},
    "denoise": {
        "gray": b"P5\n8 8\n255\n" + bytes(11 * i % 256 for i in range(64)),
        "flat": b"P5\n8 8\n255\n" + bytes(64),
        "deep": b"P5\n9 7\n65535\n" + bytes(i * i % 251 for i in range(126)),
        "colour": b"P6\n8 8\n255\n" + bytes(5 * i % 256 for i in range(192)),
        "narrow": b"P5\n20 4\n255\n" + bytes(7 * i % 256 for i in range(80)),
        "png": png(0, 8, b"".join(b"\1" + bytes(range(y, y + 9)) for y in range(8)), size=(9, 8)),
    },
    "sae": {
        "topk": b'l{"architecture": "topk", "d_in": 2, "d_sae": 3, "k": 2, "normalize_activations": "layer_norm"}',
        "old": b'l{"d_in": 2, "d_sae": 3, "activation_fn_str": "topk", "activation_fn_kwargs": {"k": 1}, "normalize_activations": true}',
        "sparsify": b's{"d_in": 2, "num_latents": 0, "expansion_factor": 4, "k": 2, "transcode": true, "activation": "topk"}',
        "factor": b'f{"scaling_factor": 0.5}',
        "relu": b"r" + autoencoder(False),
        "jumprelu": b"t" + autoencoder(True),
    },
    "network": {"two": network(), "classifier": classifier()},
    "index": {
        "flat": index([1, 2, 3, 0xffff], 2, 0),
        "one": index([7, 7, 9, 255], 1, 1),
        "three": index([0x123456, 0x123457, 0, 0xffffff, 0x123456], 3, 3),
        "uneven": index([0x1234, 0x1235, 0x8000], 2, 3),
    },
    "hasher": {
        "lsh": safetensors(*hasher("lsh", {"encoder": (8, 1)})),
        "neighbour": safetensors(*hasher("neighbour", {"encoder": (8, 1), "bias": (8,)})),
        "sph": safetensors(*hasher("sph", {"centers": (8, 1), "radii": (8,)})),
        "dltf": safetensors(*hasher("dltf", {"dictionary": (8, 1)}, k="4")),
        "sparseh": safetensors(*hasher("sparseh", {"dictionary": (8, 1)}, k="2")),
        "sh": spectral_hasher(),
    },
}

for target, files in CORPUS.items():
    directory = ROOT / target
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (directory / name).write_bytes(content)
