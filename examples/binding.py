#!/usr/bin/env python3
"""dltf from Python through ctypes, without the layout of any struct (include/dltf/bind.h).

    LD_LIBRARY_PATH=build/release/lib examples/binding.py
"""
import array
import ctypes
import random

lib = ctypes.CDLL("libdltf.so.0.3")
pointer, text, integer = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64
lib.dltf_message.restype = lib.dltf_options_get.restype = lib.dltf_options_name.restype = text
lib.dltf_options_get.argtypes = [pointer, text]
lib.dltf_options_name.argtypes = [pointer, ctypes.c_int]
lib.dltf_array_borrow.argtypes = [pointer, ctypes.c_int, integer, integer, ctypes.POINTER(pointer)]
lib.dltf_model_dictionary.restype = ctypes.POINTER(ctypes.c_float)
F32 = 0


class Handle(pointer):
    """An object of the library, made by dltf_NAME_FUNCTION(..., &object) and freed by dltf_NAME_free."""

    def __init__(self, name, make, *arguments):
        super().__init__()
        self.free = getattr(lib, f"dltf_{name}_free")
        if make(*arguments, ctypes.byref(self)) != 0:
            raise ValueError(lib.dltf_message().decode())

    def __del__(self):
        self.free(self)


class Options(Handle):
    def __init__(self, task, **values):
        super().__init__("options", lib.dltf_options_new, task.encode())
        for name, value in values.items():
            value = str(value).lower() if isinstance(value, bool) else str(value)
            if lib.dltf_options_set(self, name.replace("_", "-").encode(), value.encode()) != 0:
                raise ValueError(lib.dltf_message().decode())


class Array(Handle):
    """Rows of floats, one after the other, in an object with a buffer."""

    def __init__(self, values, columns):
        self.buffer = (ctypes.c_float * len(values)).from_buffer(values)
        super().__init__("array", lib.dltf_array_borrow, self.buffer, F32, len(values) // columns, columns)


def train(X, **options):
    return Handle("model", lib.dltf_array_train, X, Options("train", **options), None, None)


def encode(X, model, **options):
    """A list of (atom, value) for every sample."""
    codes = Handle("codes", lib.dltf_array_encode, model, X, Options("encode", **options))
    rows, cols = integer(), integer()
    indptr, indices, values = (ctypes.POINTER(t)() for t in (integer, ctypes.c_int32, ctypes.c_float))
    lib.dltf_codes_arrays(codes, *map(ctypes.byref, (rows, cols, indptr, indices, values)))
    return [[(indices[e], values[e]) for e in range(indptr[i], indptr[i + 1])] for i in range(rows.value)]


if __name__ == "__main__":
    samples = Array(array.array("f", (random.gauss(0, 1) for _ in range(1000 * 16))), 16)
    model = train(samples, m=32, k=3, encoder="tied")
    print("the first sample:", encode(samples, model, refit=True)[0])
