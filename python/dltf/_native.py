"""Calls into the library: handles, errors, options, values. Nothing here knows what an estimator is."""
from __future__ import annotations

import ctypes
from typing import Any, Iterable, Mapping, Optional

import numpy as np

from ._declarations import REPORT
from ._library import lib
from ._progress import Reporter

__all__ = ["Handle", "Options", "array_at", "call", "check", "contents", "from_values", "make", "texts", "to_bytes", "values_of"]

OK, FILE, MEMORY, CANCELLED = 0, 4, 5, 7  # of dltf_status; all others are ValueError
EXCEPTIONS = {FILE: OSError, MEMORY: MemoryError, CANCELLED: RuntimeError}
# Values that count something; numbers of the library are doubles.
INTEGERS = frozenset("m n k d rows cols bits samples clusters queries restart iterations records held_out steps first "
                     "width height channels tables".split())
TYPES = {b"float32": np.float32, b"float64": np.float64, b"uint8": np.uint8, b"int32": np.int32, b"int64": np.int64}


def raise_error(status: int, names: Mapping[str, str]) -> None:
    """Raises the last error of the library. ``names``: what Python calls the options."""
    subject, name, text = (ctypes.c_char_p() for _ in range(3))
    lib.dltf_bind_last_error(ctypes.byref(subject), ctypes.byref(name), ctypes.byref(text))
    about, message = (name.value or b"").decode(), (text.value or b"").decode()
    if subject.value == b"option":
        about = names.get(about, about.replace("-", "_"))
    raise EXCEPTIONS.get(status, ValueError)(f"{about}: {message}" if about else message)


def check(status: int, names: Mapping[str, str] = {}) -> None:
    """Raises an exception unless the status is that of success."""
    if status != OK:
        raise_error(status, names)


def filled(kinds: Iterable[Any], arguments: tuple, report: Any) -> Iterable[Any]:
    """The arguments of a function, with the report and its context, which is not used, in their place."""
    places, context = iter(arguments), False
    for kind in kinds:
        if kind is REPORT:
            yield report
        else:
            yield None if context else next(places)
        context = kind is REPORT


def call(function, *arguments, reporter: Optional[Reporter] = None, names: Mapping[str, str] = {}) -> None:
    """Calls a function that may take long, without the GIL. Ctrl-C and the callback of the reporter cancel the call.
    The arguments `report` and `context` of the function are filled in."""
    reporter = reporter or Reporter()
    with reporter:
        status = function(*filled(function.argtypes, arguments, reporter.function))
    exception = reporter.kept()
    if exception is not None:
        raise exception
    check(status, names)


class Handle:
    """An object of the library, freed by ``dltf_KIND_free``. ``keep``: memory that it borrows."""

    def __init__(self, kind: str, keep: Any = None):
        self.kind, self.keep = kind, keep
        self.address = ctypes.c_void_p()
        self._free = getattr(lib, f"dltf_{kind}_free")

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        return self.address

    def free(self) -> None:
        if self.address:
            self._free(self.address)
            self.address = ctypes.c_void_p()

    def __del__(self) -> None:
        self.free()


def make(kind: str, function, *arguments, keep: Any = None, **how) -> Handle:
    """The object that a function makes, whose last argument is the place for it."""
    handle = Handle(kind, keep)
    call(function, *arguments, ctypes.byref(handle.address), **how)
    return handle


class Options(Handle):
    """Options of a task, by name. ``None`` leaves the choice to the library."""

    def __init__(self, task: str, values: Mapping[str, Any], names: Mapping[str, str] = {}):
        super().__init__("options")
        check(lib.dltf_options_new(task.encode(), ctypes.byref(self.address)))
        for name, value in values.items():
            if value is not None:
                check(lib.dltf_options_set(self, name.replace("_", "-").encode(), option_text(value)), names)


def option_text(value: Any) -> bytes:
    if isinstance(value, (bool, np.bool_)):
        return b"true" if value else b"false"
    if isinstance(value, (float, np.floating)):
        return repr(float(value)).encode()
    return str(value).encode()


def array_at(address: int, dtype, shape: tuple, owner: Any) -> np.ndarray:
    """The memory of the library as an array. The owner lives as long as the array."""
    if 0 in shape:
        return np.empty(shape, dtype)
    bytes_ = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    memory = (ctypes.c_char * bytes_).from_address(address)
    memory.owner = owner  # type: ignore[attr-defined]
    return np.frombuffer(memory, dtype).reshape(shape)  # type: ignore[call-overload]


def read_array(values: Handle, name: bytes, owner: Any) -> np.ndarray:
    kind, rows, cols, data = ctypes.c_char_p(), ctypes.c_int64(), ctypes.c_int64(), ctypes.c_void_p()
    check(lib.dltf_values_array(values, name, *map(ctypes.byref, (kind, rows, cols, data))))
    shape = (rows.value, cols.value) if cols.value else (rows.value,)
    return array_at(data.value or 0, TYPES[kind.value or b""], shape, owner)


def values_of(values: Handle, owner: Any = None) -> dict[str, Any]:
    """Numbers, texts and arrays by name. Arrays are views that keep ``owner``, and the values themselves, alive."""
    found: dict[str, Any] = {}
    kind = ctypes.c_char_p()
    while True:
        name = lib.dltf_values_name(values, len(found), ctypes.byref(kind))
        if name is None:
            return found
        if kind.value == b"array":
            found[name.decode()] = read_array(values, name, (owner, values))
        elif kind.value == b"number":
            number = ctypes.c_double()
            check(lib.dltf_values_number(values, name, ctypes.byref(number)))
            found[name.decode()] = int(number.value) if name.decode() in INTEGERS else number.value
        else:
            text = ctypes.c_char_p()
            check(lib.dltf_values_text(values, name, ctypes.byref(text)))
            found[name.decode()] = (text.value or b"").decode()


def contents(handle: Handle) -> dict[str, Any]:
    """What an object contains; arrays are views of its memory."""
    values = Handle("values")
    check(lib.dltf_bind_get(handle.kind.encode(), handle, ctypes.byref(values.address)))
    return values_of(values, handle)


def from_values(kind: str, values: Mapping[str, Any]) -> Handle:
    """An object from what :func:`contents` gives for its kind; None is left out."""
    given = Handle("values")
    check(lib.dltf_values_new(ctypes.byref(given.address)))
    kept = []
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            value = np.ascontiguousarray(value)
            kept.append(value)
            rows, cols = value.shape if value.ndim == 2 else (len(value), 0)
            check(lib.dltf_values_set_array(given, name.encode(), value.dtype.name.encode(), rows, cols, value.ctypes.data))
        elif isinstance(value, str):
            check(lib.dltf_values_set_text(given, name.encode(), value.encode()))
        elif value is not None:
            check(lib.dltf_values_set_number(given, name.encode(), value))
    return make(kind, lib.dltf_bind_new, kind.encode(), given)


def to_bytes(function, handle: Handle) -> bytes:
    """The bytes of the file of an object: ``function`` is dltf_KIND_write."""
    data, size = ctypes.c_void_p(), ctypes.c_int64()
    call(function, handle, ctypes.byref(data), ctypes.byref(size))
    try:
        return ctypes.string_at(data.value or 0, size.value)
    finally:
        lib.dltf_bytes_free(data)


def texts(function, *arguments) -> Iterable[str]:
    """The texts of an enumerating function, up to its first NULL."""
    index = 0
    while True:
        text = function(*arguments, index)
        if text is None:
            return
        yield text.decode()
        index += 1
