"""`dltf train --encoder learned`: the command as a user types it, and the library's function for the cost of its steps."""
import ctypes
import json
import os
import pathlib
import resource
import struct
import subprocess
import sys
import time

import numpy as np

from learning import measures

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_WAIT_POLICY")  # set for the others


class Failed(Exception):
    """A training without a model."""


# ---- The command ----

def run(arguments, *words):
    """CPU and wall seconds, exit code and both outputs of a command."""
    environment = {name: value for name, value in os.environ.items() if name not in THREADS}
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([arguments.build + "/bin/dltf", *words], cwd=arguments.scratch, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode and words[0] != "train":
        sys.exit(f"learners: dltf {' '.join(words)}: {done.stderr}")
    done.cpu_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    done.wall_seconds = wall
    return done


def save_samples(arguments, X):
    np.save(arguments.scratch + "/X.npy", X)


def samples_seen(report, count, epochs):
    """As the program reports it; a report without it means all epochs, without the held-out samples."""
    held_out = report.get("error_samples", 0) if report.get("error_held_out") else 0
    return report.get("samples_seen") or int((epochs or report.get("epochs", 0)) * (count - held_out))


def train(arguments, count, m, k, select="abs", preprocess="none", epochs=None, threads=1, seed=0):
    """A whole run on X.npy, which has `count` rows: reading, start, training, its final report, writing the model."""
    path = pathlib.Path(arguments.scratch, "model.safetensors")
    path.unlink(missing_ok=True)
    words = ["-m", m, "-k", k, "--encoder", "learned", "--select", select, "--threads", threads, "--seed", seed]
    words += [] if preprocess == "none" else ["--" + preprocess]
    words += [] if epochs is None else ["--epochs", epochs]
    words = " ".join(map(str, ["train", "X.npy", *words, "-o", path.name, "--json", "-q"]))
    done = run(arguments, *words.split())
    if not path.exists():
        raise Failed(f"{words} ended without a model: " + done.stderr.strip().split("\n")[-1])
    report = json.loads(done.stdout or "{}")
    row = {"cpu_seconds": done.cpu_seconds, "wall_seconds": done.wall_seconds, "outcome": report.get("outcome"),
           "exit_code": done.returncode, "warnings": report.get("warnings", [])}
    seen = samples_seen(report, count, epochs)
    if seen:
        row.update(samples_seen=seen, us_per_sample=1e6 * done.cpu_seconds / seen)
    return row


def read_model(arguments):
    raw = pathlib.Path(arguments.scratch, "model.safetensors").read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + size])
    notes = header.pop("__metadata__")
    parts = {name: np.frombuffer(raw[8 + size + part["data_offsets"][0]:8 + size + part["data_offsets"][1]],
                                 np.float32).reshape(part["shape"]) for name, part in header.items()}
    W = parts["dictionary"]
    zero, (remove_mean, unit_norm) = np.float32(0), (notes.get(name) == "true" for name in ("remove_mean", "unit_norm"))
    return measures.Model(W, parts.get("encoder", W), parts.get("bias", zero), int(notes["k"]), notes["select"],
                          parts.get("mean", zero), remove_mean, unit_norm, parts.get("offset", zero))


# ---- The library ----

class Matrix(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int)] + [
        (name, ctypes.c_int64) for name in ("rows", "cols", "row_stride", "col_stride")]


def train_in_process(arguments, X, **options):
    """CPU seconds of dltf_train alone: the command also reads files and reports on the dictionary."""
    lib = ctypes.CDLL(arguments.build + "/lib/libdltf.so")
    lib.dltf_options_struct.restype = ctypes.c_void_p
    lib.dltf_matrix_f32.restype, lib.dltf_matrix_f32.argtypes = Matrix, [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64]
    lib.dltf_train.argtypes = [Matrix] + [ctypes.c_void_p] * 4
    lib.dltf_model_free.argtypes = [ctypes.c_void_p]
    lib.dltf_message.restype = ctypes.c_char_p
    chosen, model = ctypes.c_void_p(), ctypes.c_void_p()
    lib.dltf_options_new(b"train", ctypes.byref(chosen))
    for name, value in options.items():
        lib.dltf_options_set(chosen, name.encode(), str(value).encode())
    begin = time.process_time()
    if lib.dltf_train(lib.dltf_matrix_f32(X.ctypes.data, *X.shape), lib.dltf_options_struct(chosen), None, None,
                      ctypes.byref(model)) != 0:
        sys.exit("learners: " + lib.dltf_message().decode())
    seconds = time.process_time() - begin
    lib.dltf_model_free(model)
    lib.dltf_options_free(chosen)
    return seconds
