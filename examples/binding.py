#!/usr/bin/env python3
"""dltf from Python through ctypes, without the layout of any struct (include/dltf/bind.h): dictionaries, hashes, clusters, images.

    LD_LIBRARY_PATH=build/release/lib examples/binding.py
"""
import array
import ctypes
import random

lib = ctypes.CDLL("libdltf.so.0.3")
pointer, text, integer, ref = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64, ctypes.byref
lib.dltf_message.restype = lib.dltf_options_get.restype = lib.dltf_options_name.restype = lib.dltf_values_name.restype = text
lib.dltf_options_get.argtypes = [pointer, text]
lib.dltf_options_name.argtypes = [pointer, ctypes.c_int]
lib.dltf_image_new.argtypes = [integer, integer, integer, ctypes.c_int, pointer]
lib.dltf_image_pixels.restype = pointer
lib.dltf_array_borrow.argtypes = [pointer, text, integer, integer, integer, integer, pointer]
TYPES = {b"float32": ctypes.c_float, b"float64": ctypes.c_double, b"uint8": ctypes.c_uint8, b"int32": ctypes.c_int32, b"int64": integer}
Report = ctypes.CFUNCTYPE(ctypes.c_int, pointer, text, integer, integer, text, integer, ctypes.c_double, pointer)


def check(status):
    if status != 0:
        raise ValueError(lib.dltf_message().decode())


class Handle(pointer):
    """An object of the library, made by a function whose last argument is &object, and freed by dltf_KIND_free."""

    def __init__(self, kind, make, *arguments):
        super().__init__()
        self.kind, self.free = kind, getattr(lib, f"dltf_{kind}_free")
        check(make(*arguments, ref(self)))

    def __del__(self):
        self.free(self)

    def get(self):
        """The content of the object: a dict of numbers, texts, and lists for arrays."""
        return read(Handle("values", lib.dltf_bind_get, self.kind.encode(), self))


def read(values):
    found, kind = {}, text()
    while name := lib.dltf_values_name(values, len(found), ref(kind)):
        if kind.value == b"array":
            type_, rows, cols, data = text(), integer(), integer(), pointer()
            check(lib.dltf_values_array(values, name, *map(ref, (type_, rows, cols, data))))
            value = list((TYPES[type_.value] * (rows.value * max(cols.value, 1))).from_address(data.value))
        else:
            value = ctypes.c_double() if kind.value == b"number" else text()
            check(getattr(lib, f"dltf_values_{kind.value.decode()}")(values, name, ref(value)))
            value = value.value
        found[name.decode()] = value
    return found


class Options(Handle):
    def __init__(self, task, **values):
        super().__init__("options", lib.dltf_options_new, task.encode())
        for name, value in values.items():
            value = str(value).lower() if isinstance(value, bool) else str(value)
            check(lib.dltf_options_set(self, name.replace("_", "-").encode(), value.encode()))


class Array(Handle):
    """Rows one after the other, in an object with a buffer."""

    def __init__(self, values, columns, type_="float32"):
        self.buffer = (TYPES[type_.encode()] * len(values)).from_buffer(values)
        super().__init__("array", lib.dltf_array_borrow, self.buffer, type_.encode(), len(values) // columns, columns, columns, 1)


def train(X, report=None, **options):
    """report(context, task, done, total, stage, index, error, state): a true value cancels."""
    return Handle("model", lib.dltf_bind_train, X, None, Options("train", **options), Report(report) if report else None, None)


def encode(X, model, **options):
    return Handle("codes", lib.dltf_bind_encode, model, X, Options("encode", **options), None, None)


def pairs(codes):
    """A list of (atom, value) for every sample."""
    z = codes.get()
    return [list(zip(z["indices"][begin:end], z["values"][begin:end])) for begin, end in zip(z["indptr"], z["indptr"][1:])]


def main():
    random.seed(1)
    N, n = 500, 16
    samples = Array(array.array("f", (random.gauss(0, 1) for _ in range(N * n))), n)
    model = train(samples, m=32, k=3, encoder="tied")
    codes = encode(samples, model, refit=True)
    decoded = (ctypes.c_float * (N * n))()
    check(lib.dltf_decode(model, codes, decoded))
    measured = read(Handle("values", lib.dltf_bind_reconstruction_measure, model, samples, codes, integer(0)))
    print(f"{len(model.get()['dictionary'])} weights; first code {pairs(codes)[0]}; error {measured['relative_error']:.3f}")

    hasher = Handle("hasher", lib.dltf_bind_hasher_train, samples, Options("hash", method="itq", bits=16), None, None)
    hashes = Array(bytearray(N * 2), 2, "uint8")
    check(lib.dltf_bind_hasher_apply(hasher, samples, integer(0), None, None, hashes.buffer))
    index = Handle("index", lib.dltf_bind_index_new, hashes)
    found = Handle("neighbours", lib.dltf_bind_search, index, hashes, Options("search", k=3), None, None).get()
    print(f"nearest to the first: {found['indices'][:3]} at distances {found['distances'][:3]}")

    clusters = Handle("clusters", lib.dltf_bind_clusters_train, samples, Options("cluster", clusters=4), None, None)
    print("sizes of clusters:", clusters.get()["sizes"])

    noisy = Handle("image", lib.dltf_image_new, 32, 32, 1, 8)
    pixels = (ctypes.c_float * 1024)(*(60 + 120 * (i % 32 > 15) + random.gauss(0, 20) for i in range(1024)))
    ctypes.memmove(lib.dltf_image_pixels(noisy), pixels, ctypes.sizeof(pixels))
    clean = Handle("image", lambda *given: lib.dltf_bind_denoise(*given, None), noisy, None, Options("denoise", sigma=20), None, None)
    print("a denoised row:", [round(value) for value in clean.get()["planes"][:32]])


if __name__ == "__main__":
    main()
