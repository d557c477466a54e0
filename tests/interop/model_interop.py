#!/usr/bin/python3
"""Encoding and decoding by the lines of NumPy in docs/formats.md, for models with every kind of preprocessing.

Usage: model_interop.py DLTF FORMATS.md DIRECTORY. Exits with 77 (skipped) if NumPy or SciPy is not installed.
"""
import json
import os
import pathlib
import re
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
    if os.path.exists(SYSTEM_PYTHON) and not os.environ.get("MODEL_INTEROP_TRIED"):
        os.execve(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv], {**os.environ, "MODEL_INTEROP_TRIED": "1"})
    print(f"skipped: {reason} (Debian: apt install python3-numpy python3-scipy)")
    sys.exit(SKIPPED)

DLTF, FORMATS, DIRECTORY = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
DOCUMENTED = {"np": np}
exec(re.search(r"```python\n(def encode.*?)```", FORMATS.read_text(), re.S)[1], DOCUMENTED)


def dltf(*words):
    done = subprocess.run([DLTF, *map(str, words)], cwd=DIRECTORY, capture_output=True, text=True)
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout


def load(path):
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    notes = header.pop("__metadata__")
    return notes, {name: np.frombuffer(data[8 + length:][slice(*t["data_offsets"])], "<f4").reshape(t["shape"]).astype("f8")
                   for name, t in header.items()}


class Models(unittest.TestCase):
    def check(self, *options):
        random = np.random.default_rng(3)
        x = random.laplace(size=(400, 12)) @ random.standard_normal((12, 12)) * 10.0 ** np.arange(-3, 9) + 5
        x[:, 3] = 0.1  # constant
        np.save(DIRECTORY / "x.npy", x)
        dltf("train", "x.npy", "-m", 20, "-k", 3, "--encoder", "distilled", "--steps", 20, "--polish", 1, "--finetune", 0, "-o", "m.safetensors", "-q", *options)
        dltf("encode", "m.safetensors", "x.npy", "-o", "z.npz", "-q")
        dltf("decode", "m.safetensors", "z.npz", "-o", "y.npy", "-q")
        notes, t = load(DIRECTORY / "m.safetensors")
        flags = [notes.get(name, "false") == "true" for name in ("remove_mean", "unit_norm")]
        z = sparse.load_npz(DIRECTORY / "z.npz").toarray()
        expected = DOCUMENTED["encode"](x, t, int(notes["k"]), notes["select"], *flags)
        same = (expected != 0) == (z != 0)
        self.assertGreater(same.all(axis=1).mean(), 0.99)  # up to ties within rounding
        agree = same.all(axis=1)
        np.testing.assert_allclose(z[agree], expected[agree], rtol=1e-3, atol=1e-4 * abs(expected).max())
        y, back = np.load(DIRECTORY / "y.npy"), DOCUMENTED["decode"](z, t, flags[1])
        np.testing.assert_allclose(y, back, rtol=1e-5, atol=1e-5 * abs(back).max(axis=0).min())
        return x, t

    def test_imported_parts(self):
        """Scale, threshold, factor and layer norm, which training does not make."""
        random = np.random.default_rng(4)
        m, n = 40, 12
        x = random.standard_normal((400, n)) + random.standard_normal(n)
        np.save(DIRECTORY / "x.npy", x)
        dictionary = random.standard_normal((m, n))
        t = {"dictionary": dictionary / np.linalg.norm(dictionary, axis=1, keepdims=True), "bias": random.standard_normal(m),
             "encoder": random.standard_normal((m, n)), "scale": random.uniform(0.5, 2, m), "offset": random.standard_normal(n)}
        for flag in "none", "layer_norm", "unit_norm", "remove_mean":
            for threshold in False, True:
                for center in False, True:
                    parts = dict(t)
                    parts |= {"threshold": random.uniform(-1, 4, m)} if threshold else {}
                    parts |= {"mean": random.standard_normal(n)} if center else {}
                    self.check_parts(x, parts, flag)

    def check_parts(self, x, t, flag):
        t = {name: array.astype("<f4").astype("f8") for name, array in t.items()} | {"factor": np.array([1.7])}
        k = len(t["dictionary"]) if "threshold" in t else 5
        notes = {"format": "dltf-model", "version": "1", "k": str(k), "select": "positive", "unit_norm": "false"}
        flags = {name: name == flag for name in ("remove_mean", "unit_norm", "layer_norm")}
        notes |= {name: str(value).lower() for name, value in flags.items()}
        header, data = {"__metadata__": notes}, b""
        for name, array in t.items():
            content = array.astype("<f8" if name == "factor" else "<f4").tobytes()
            header[name] = {"dtype": "F64" if name == "factor" else "F32", "shape": list(array.shape),
                            "data_offsets": [len(data), len(data) + len(content)]}
            data += content
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        (DIRECTORY / "p.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
        dltf("encode", "p.safetensors", "x.npy", "-o", "z.npz", "-q")
        dltf("decode", "p.safetensors", "z.npz", "-o", "y.npy", "-q")
        z, expected = sparse.load_npz(DIRECTORY / "z.npz").toarray(), DOCUMENTED["encode"](x, t, k, "positive", **flags)
        np.testing.assert_allclose(z, expected, rtol=1e-3, atol=1e-4 * abs(expected).max())
        y, back = np.load(DIRECTORY / "y.npy"), DOCUMENTED["decode"](z, t, flags["unit_norm"], flags["layer_norm"])
        np.testing.assert_allclose(y, back, rtol=1e-4, atol=1e-5 * abs(back).max())

    def test_standardise(self):
        x, t = self.check("--standardise")
        np.testing.assert_allclose(t["mean"], x.mean(axis=0), rtol=1e-6)
        deviation = np.where(np.arange(12) == 3, 1, x.std(axis=0))
        np.testing.assert_allclose(t["deviation"], deviation, rtol=1e-5)

    def test_every_preprocessing(self):
        for options in [[], ["--center"], ["--remove-mean"], ["--unit-norm"], ["--center", "--unit-norm"],
                        ["--standardise", "--unit-norm"], ["--standardise", "--remove-mean"],
                        ["--standardise", "--select", "positive"], ["--center", "--remove-mean", "--unit-norm"]]:
            with self.subTest(options=options):
                self.check(*options)


if __name__ == "__main__":
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=[sys.argv[0]])
