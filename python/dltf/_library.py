"""The shared library: where it is, what it must offer."""
from __future__ import annotations

import ctypes
import os
import pathlib
import sys

from ._declarations import FUNCTIONS

__all__ = ["lib", "version", "build"]

MINIMUM = (0, 3, 0)
NAME = "libdltf.dylib" if sys.platform == "darwin" else "libdltf.so.{}.{}".format(*MINIMUM)


def candidates() -> list[str]:
    """The first that exists is used: DLTF_LIBRARY, the library in the wheel, that of the system."""
    named = os.environ.get("DLTF_LIBRARY")
    if named:
        return [named]
    bundled = pathlib.Path(__file__).parent / "lib" / NAME
    return [str(bundled)] if bundled.exists() else [NAME]


def load(path: str) -> ctypes.CDLL:
    """The library in a file, with all its functions declared; OSError if it is missing or too old."""
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise OSError(
            f"cannot load the shared library of dltf: {error}. Install libdltf, or set DLTF_LIBRARY to the path of {NAME}"
        ) from None
    needed = "{}.{}.{}".format(*MINIMUM)
    try:
        found = library.dltf_version_number()
    except AttributeError:
        raise OSError(f"{path}: not a libdltf, or one older than {needed}") from None
    if found < MINIMUM[0] * 10000 + MINIMUM[1] * 100 + MINIMUM[2]:
        raise OSError(f"{path}: version {found // 10000}.{found // 100 % 100}.{found % 100}, but {needed} or later is needed")
    for name, (result, *arguments) in FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise OSError(f"{path}: too old: it has no function {name}; update libdltf") from None
        function.restype, function.argtypes = result, arguments
    return library


lib = load(candidates()[0])


def version() -> str:
    """The version of the shared library, such as ``"0.3.0"``."""
    return lib.dltf_version().decode()


def build() -> str:
    """Kernels, BLAS and build of the shared library, in one line."""
    return lib.dltf_build().decode()
