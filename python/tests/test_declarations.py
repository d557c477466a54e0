"""The table of functions agrees with the headers, and the loader with what it finds."""
import ctypes
import os
import pathlib
import re
import subprocess
import sys

import pytest

from dltf._declarations import FUNCTIONS, REPORT
from dltf._library import load

HEADERS = pathlib.Path(__file__).parents[2] / "include" / "dltf"
NUMBERS = {"int": ctypes.c_int, "dltf_status": ctypes.c_int, "dltf_flag": ctypes.c_int, "int64_t": ctypes.c_int64,
           "size_t": ctypes.c_size_t, "double": ctypes.c_double, "dltf_report_fn": REPORT}


def ctype(text):
    """The type of ctypes for a type in C."""
    text = " ".join(text.replace("*", " * ").split())
    if text == "const char *":
        return ctypes.c_char_p
    if "*" in text:
        return ctypes.c_void_p
    return None if text == "void" else NUMBERS[text]


def declared():
    """All functions of the headers, as text: name -> result, arguments."""
    found = {}
    for path in HEADERS.glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        for result, name, inner in re.findall(r"^DLTF_API ([^;#]*?)(\w+)\(([^;]*)\);", text, flags=re.S | re.M):
            arguments = [] if inner.strip() == "void" else [re.sub(r"\w+$", "", a.strip()) for a in inner.split(",")]
            found[name] = (result, arguments)
    return found


@pytest.mark.skipif(not HEADERS.exists(), reason="needs the headers of the source tree")
def test_declarations():
    headers = declared()
    assert len(headers) > 200
    for name, (result, *arguments) in FUNCTIONS.items():
        assert name in headers, f"{name} is in no header"
        wanted = [ctype(text) for text in (headers[name][0], *headers[name][1])]
        assert [result, *arguments] == wanted, name


def test_all_are_used():
    """No declaration is left behind: dltf_KIND_free is used through the name of the kind."""
    package = pathlib.Path(__file__).parents[1] / "dltf"
    if not package.exists():
        pytest.skip("needs the source tree")
    text = "".join(path.read_text() for path in package.glob("*.py") if path.name != "_declarations.py")
    unused = [name for name in FUNCTIONS if f"lib.{name}" not in text and f"library.{name}" not in text and not name.endswith("_free")]
    assert not unused


def test_missing_library(tmp_path):
    with pytest.raises(OSError, match="set DLTF_LIBRARY"):
        load(str(tmp_path / "none.so"))


def test_other_library():
    with pytest.raises(OSError, match="not a libdltf"):
        load("libm.so.6")


@pytest.fixture
def compiled(tmp_path):
    def compile_(text):
        source, library = tmp_path / "old.c", tmp_path / "old.so"
        source.write_text(text)
        try:
            subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        except FileNotFoundError:
            pytest.skip("needs a C compiler")
        return str(library)

    return compile_


def test_old_library(compiled):
    with pytest.raises(OSError, match="version 0.2.7, but 0.3.0 or later is needed"):
        load(compiled("int dltf_version_number(void) { return 207; }"))


def test_library_without_a_function(compiled):
    with pytest.raises(OSError, match="too old: it has no function dltf_bind_last_error"):
        load(compiled("int dltf_version_number(void) { return 300; }"))


def test_import_without_library(tmp_path):
    environment = {**os.environ, "DLTF_LIBRARY": str(tmp_path / "none.so")}
    run = subprocess.run([sys.executable, "-c", "import dltf"], env=environment, capture_output=True, text=True)
    assert "OSError: cannot load the shared library of dltf" in run.stderr
