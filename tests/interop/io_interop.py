#!/usr/bin/python3
"""File exchange between the library and NumPy, SciPy and plain safetensors, in both directions.

Usage: io_interop.py HELPER DIRECTORY. Exits with 77 (skipped) if NumPy or SciPy is not installed.
"""
import gzip
import json
import os
import pathlib
import struct
import subprocess
import sys
import unittest

SYSTEM_PYTHON = "/usr/bin/python3"
SKIPPED = 77

try:
    import numpy as np
    import scipy.sparse as sparse
except ImportError as reason:
    # Distributions package NumPy and SciPy for the system interpreter, which may not be the first in PATH.
    if os.path.exists(SYSTEM_PYTHON) and not os.environ.get("IO_INTEROP_TRIED"):
        os.execve(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv], {**os.environ, "IO_INTEROP_TRIED": "1"})
    print(f"skipped: {reason} (Debian: apt install python3-numpy python3-scipy)")
    sys.exit(SKIPPED)

HELPER, DIRECTORY = sys.argv[1], pathlib.Path(sys.argv[2])


def run(command, source, target, expect=0):
    done = subprocess.run([HELPER, command, str(source), str(target)], capture_output=True, text=True)
    assert done.returncode == expect, f"{command} {source}: exit {done.returncode}: {done.stderr}"
    return done.stderr


def through(source, extension="npy"):
    """The matrix as the library writes it again."""
    target = DIRECTORY / f"out.{extension}"
    run("matrix", source, target)
    return np.load(target) if extension == "npy" else np.loadtxt(target, delimiter=",", ndmin=2)


class Matrices(unittest.TestCase):
    def check(self, array, path, dtype):
        back = through(path)
        self.assertEqual(back.dtype, np.dtype(dtype))
        images = array.dtype == np.uint8 and (array.ndim == 3 or array.ndim == 4 and {array.shape[1], array.shape[3]} & {1, 3, 4})
        rows = array.shape[0] if array.ndim < 3 or images else array.size // array.shape[-1]
        np.testing.assert_array_equal(back, array.reshape(rows, -1))

    def test_safetensors_bins_and_hdf5(self):
        random = np.random.default_rng(4)
        x = (100 * random.standard_normal((6, 5, 4))).astype("f2")
        wide = x.astype("f4").view("u4")
        brain = (wide >> 16).astype("u2")
        tensors = {"F64": x.astype("f8"), "F32": x.astype("f4"), "F16": x, "I8": x.astype("i1"), "U16": abs(x).astype("u2"), "I64": x.astype("i8")}
        path = DIRECTORY / "in.safetensors"
        for name, array in {**tensors, "BF16": brain}.items():
            header = json.dumps({"x": {"dtype": name, "shape": array.shape, "data_offsets": [0, array.nbytes]}}).encode()
            path.write_bytes(struct.pack("<Q", len(header)) + header + array.tobytes())
            expected = (wide >> 16 << 16).view("f4") if name == "BF16" else array
            np.testing.assert_array_equal(through(path), expected.reshape(30, 4))
        for name, code in {"fbin": "f4", "u8bin": "u1", "i8bin": "i1", "f16bin": "f2"}.items():
            path, array = DIRECTORY / f"in.{name}", (abs(x) % 100).astype(code).reshape(30, 4)
            path.write_bytes(struct.pack("<II", *array.shape) + array.tobytes())
            np.testing.assert_array_equal(through(path), array)

    def test_every_dtype_order_and_version(self):
        random = np.random.default_rng(1)
        result = {"f4": "f4", "f8": "f8", "u1": "u1", "i1": "f4", "i2": "f4", "u2": "f4", "i4": "f8", "u4": "f8",
                  "i8": "f8", "u8": "f8"}
        path = DIRECTORY / "in.npy"
        for code, wanted in result.items():
            for order in "<>":
                for shape in [(5, 3), (7,), (2, 3, 4), (1, 1), (2, 1, 3, 2)]:
                    for layout in "CF":
                        for version in [(1, 0), (2, 0), (3, 0)]:
                            values = random.integers(0, 100, shape).astype(order + code)
                            values = np.asarray(values, order=layout)
                            with open(path, "wb") as file:
                                np.lib.format.write_array(file, values, version=version)
                            with self.subTest(code=code, order=order, shape=shape, layout=layout, version=version):
                                self.check(values, path, wanted)

    def test_signs_and_extremes(self):
        path = DIRECTORY / "in.npy"
        for code in ["i1", "i2", "i4", "u1", "u2", "u4"]:
            limits = np.iinfo(code)
            np.save(path, np.array([[limits.min, limits.max]], dtype=code))
            np.testing.assert_array_equal(through(path), [[limits.min, limits.max]])
        extreme = np.array([[np.finfo("f4").smallest_subnormal, -0.0, np.finfo("f4").max]], dtype="f4")
        np.save(path, extreme)
        self.assertEqual(through(path).tobytes(), extreme.tobytes())
        for value in [np.inf, np.nan]:
            np.save(path, np.array([[1, value]], dtype="f4"))
            self.assertIn("row 0, column 1", run("matrix", path, DIRECTORY / "out.npy", expect=1))

    def test_our_npy_can_be_mapped(self):
        array = np.arange(12, dtype="f4").reshape(3, 4)
        np.save(DIRECTORY / "in.npy", array)
        through(DIRECTORY / "in.npy")
        mapped = np.load(DIRECTORY / "out.npy", mmap_mode="r")
        np.testing.assert_array_equal(mapped, array)
        self.assertEqual(mapped.offset % 64, 0)

    def test_npz(self):
        array, other = np.arange(12, dtype="f4").reshape(3, 4), np.ones((2, 2))
        for save in [np.savez, np.savez_compressed]:
            path = DIRECTORY / "in.npz"
            save(path, array)
            self.check(array, path, "f4")
            save(path, first=array, second=other)
            self.check(array, f"{path}:first", "f4")
            self.check(other, f"{path}:second", "f8")
            self.assertIn("'first', 'second'", run("matrix", path, DIRECTORY / "out.npy", expect=1))
            self.assertIn("array 'third' not found", run("matrix", f"{path}:third", DIRECTORY / "out.npy", expect=1))

    def test_large_compressed_array(self):
        array = np.zeros((3000, 1000), dtype="f8")
        array[7, 7] = 1
        np.savez_compressed(DIRECTORY / "in.npz", array)
        self.check(array, DIRECTORY / "in.npz", "f8")

    def test_csv(self):
        random = np.random.default_rng(2)
        for dtype, wanted in [("f4", "f4"), ("f8", "f8")]:
            array = (random.standard_normal((20, 5)) * 10.0 ** random.integers(-30, 30, (20, 5))).astype(dtype)
            np.save(DIRECTORY / "in.npy", array)
            np.testing.assert_array_equal(through(DIRECTORY / "in.npy", "csv").astype(wanted), array)
            for delimiter in [",", ";", "\t", " "]:
                for header in ["", delimiter.join("abcde")]:
                    np.savetxt(DIRECTORY / "in.csv", array, fmt="%.17g", delimiter=delimiter, header=header, comments="")
                    np.testing.assert_array_equal(through(DIRECTORY / "in.csv").astype(wanted), array)
            np.savetxt(DIRECTORY / "in.txt", array, header="written by savetxt")
            through(DIRECTORY / "in.txt")

    def test_idx(self):
        images = np.random.default_rng(3).integers(0, 256, (10, 4, 5)).astype("u1")
        content = bytes([0, 0, 8, 3]) + struct.pack(">3I", *images.shape) + images.tobytes()
        (DIRECTORY / "images-idx3-ubyte").write_bytes(content)
        (DIRECTORY / "images-idx3-ubyte.gz").write_bytes(gzip.compress(content))
        self.check(images, DIRECTORY / "images-idx3-ubyte", "u1")
        self.check(images, DIRECTORY / "images-idx3-ubyte.gz", "u1")

    def test_16_bit_reals(self):
        every = np.arange(1 << 16, dtype="u2").reshape(256, 256)
        half = every.view("f2")
        half = half[np.isfinite(half.astype("f4")).all(axis=1)]
        bfloat = (every.astype("u4") << 16).view("f4")
        kept = np.isfinite(bfloat).all(axis=1)
        path, target = DIRECTORY / "in.npy", DIRECTORY / "out.npy"
        for order in "<>":
            np.save(path, half.astype(order + "f2"))
            run("matrix", path, target)
            np.testing.assert_array_equal(np.load(target), half.astype("f4"))
        np.save(path, every[kept].view("V2"))
        run("matrix", path, target)
        np.testing.assert_array_equal(np.load(target), bfloat[kept])

    def test_errors_have_messages(self):
        path, target = DIRECTORY / "in.npy", DIRECTORY / "out.npy"
        for array, part in [(np.ones((2, 2), "?"), "x.astype"),
                            (np.ones((2, 2), "c8"), "x.astype"), (np.array(["a"]), "text"), (np.float32(1), "single"),
                            (np.ones((0, 3)), "no numbers"), (np.zeros(2, dtype=[("a", "f4")]), "structured"),
                            (np.array([{}, None]), "objects"), (np.array([2**60 + 1]), "2^53")]:
            np.save(path, array, allow_pickle=True)
            self.assertIn(part, run("matrix", path, target, expect=1))


class Codes(unittest.TestCase):
    def check(self, matrix, compressed):
        path, target = DIRECTORY / "codes.npz", DIRECTORY / "codes-out.npz"
        sparse.save_npz(path, matrix, compressed=compressed)
        run("codes", path, target)
        back = sparse.load_npz(target)
        self.assertEqual(back.format, "csr")
        self.assertEqual(back.dtype, np.dtype("f4"))
        self.assertEqual(back.shape, matrix.shape)
        self.assertTrue(back.has_canonical_format)
        self.assertEqual((back != matrix.astype("f4")).nnz, 0)
        again = DIRECTORY / "codes-again.npz"
        run("codes", target, again)
        self.assertEqual(target.read_bytes(), again.read_bytes())

    def test_both_ways(self):
        for compressed in [True, False]:
            for dtype in ["f4", "f8"]:
                for shape in [(30, 50), (1, 1), (5, 100000)]:
                    matrix = sparse.random(*shape, density=0.1, format="csr", random_state=1).astype(dtype)
                    self.check(matrix, compressed)
        self.check(sparse.csr_matrix((4, 5), dtype="f4"), True)

    def test_wide_indices_unsorted_zeros(self):
        matrix = sparse.csr_matrix((np.array([1, 0, 3], "f4"), np.array([4, 2, 1]), np.array([0, 2, 3])), shape=(2, 5))
        matrix.indices, matrix.indptr = matrix.indices.astype("i8"), matrix.indptr.astype("i8")
        self.check(matrix, True)
        matrix = sparse.csr_matrix((np.array([1, 2, 3], "f8"), np.array([4, 2, 0]), np.array([0, 3])), shape=(1, 5))
        self.check(matrix, False)

    def test_errors_have_messages(self):
        path, target = DIRECTORY / "codes.npz", DIRECTORY / "codes-out.npz"
        for form in ["csc", "coo", "dia", "bsr"]:
            sparse.save_npz(path, sparse.eye(3, format=form, dtype="f4"))
            self.assertIn(f"in '{form}' format: convert with matrix.tocsr()", run("codes", path, target, expect=1))
        sparse.save_npz(path, sparse.eye(3, format="csr", dtype="i4"))
        self.assertIn("float32", run("codes", path, target, expect=1))
        np.savez(path, np.ones((2, 2)))
        self.assertIn("no sparse codes", run("codes", path, target, expect=1))


class Models(unittest.TestCase):
    def test_both_ways(self):
        tensors = {"dictionary": np.eye(3, 4, dtype="f4"), "encoder": np.arange(12, dtype="f4").reshape(3, 4),
                   "bias": np.ones(3, "f4"), "mean": np.full(4, 0.5, "f4"), "offset": np.arange(4, dtype="f4")}
        metadata = {"format": "dltf-model", "version": "1", "k": "2", "select": "abs", "unit_norm": "true",
                    "option.theta": "0.5", "note": "\u00e4 \"quoted\""}
        header, data = {"__metadata__": metadata}, b""
        for name in reversed(tensors):  # any order of header and data is valid
            content = tensors[name].tobytes()
            header[name] = {"dtype": "F32", "shape": list(tensors[name].shape),
                            "data_offsets": [len(data), len(data) + len(content)]}
            data += content
        text = json.dumps(header).encode()
        path, target = DIRECTORY / "model.safetensors", DIRECTORY / "model-out.safetensors"
        path.write_bytes(struct.pack("<Q", len(text)) + text + data)
        run("model", path, target)
        content = target.read_bytes()
        length, = struct.unpack("<Q", content[:8])
        self.assertEqual(length % 8, 0)
        header, data = json.loads(content[8:8 + length]), content[8 + length:]
        self.assertEqual(header.pop("__metadata__"), metadata)
        self.assertEqual(list(header), list(tensors))
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            back = np.frombuffer(data[begin:end], "<f4").reshape(entry["shape"])
            np.testing.assert_array_equal(back, tensors[name])
        again = DIRECTORY / "model-again.safetensors"
        run("model", target, again)
        self.assertEqual(content, again.read_bytes())


if __name__ == "__main__":
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1])
