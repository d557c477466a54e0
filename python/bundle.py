"""Copies a shared library and the libraries that it needs into a folder, so that it runs on machines without them.

Only libraries of the list ALLOWED, which belong to glibc and GCC, are left to the system. Copies have a checksum in their
names, so that a process can load them beside other versions, and find each other by a relative path. Needs patchelf.
"""
import hashlib
import pathlib
import platform
import re
import shutil
import subprocess

# As in the manylinux policies: every Linux with glibc has these.
ALLOWED = re.compile(r"(libc|libm|libdl|librt|libpthread|libgcc_s|ld-linux-x86-64|ld-linux-aarch64)\.so\.\d+")


def output(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def needed(library):
    """The names of the libraries that a library asks for."""
    return output("patchelf", "--print-needed", library).split()


def found(library):
    """Where the loader finds these libraries, and what they need in turn: name -> path."""
    return dict(re.findall(r"(\S+) => (/\S+)", output("ldd", library)))


def bundle(library, folder):
    """Fills the folder with the library, under its soname, and copies of what it needs."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    places = found(library)
    target = folder / output("patchelf", "--print-soname", library).strip()
    shutil.copy(library, target)
    output("strip", "--strip-unneeded", target)  # before patchelf, whose layout strip does not understand
    renamed = {name: copy(path, name, folder) for name, path in places.items() if not ALLOWED.fullmatch(name)}
    for file in folder.iterdir():
        for name in set(needed(file)) & set(renamed):
            output("patchelf", "--replace-needed", name, renamed[name], file)
        output("patchelf", "--set-rpath", "$ORIGIN", file)
    check(folder)


def copy(path, name, folder):
    """A copy with a checksum in its name and soname; returns the name."""
    data = pathlib.Path(path).read_bytes()
    stem, rest = name.split(".so", 1)
    new = f"{stem}-{hashlib.sha256(data).hexdigest()[:8]}.so{rest}"
    (folder / new).write_bytes(data)
    output("patchelf", "--set-soname", new, folder / new)
    return new


def check(folder):
    """Every library that is asked for is in the folder or on the list."""
    present = {file.name for file in folder.iterdir()}
    for file in folder.iterdir():
        missing = [name for name in needed(file) if name not in present and not ALLOWED.fullmatch(name)]
        if missing:
            raise SystemExit(f"bundle: {file.name} needs {', '.join(missing)}, which is neither bundled nor on the list")


def platform_tag(folder):
    """manylinux_2_NN_ARCH, where 2.NN is the newest version of glibc that a symbol asks for."""
    versions = [int(minor) for file in folder.iterdir() for minor in re.findall(rb"GLIBC_2\.(\d+)", file.read_bytes())]
    return f"manylinux_2_{max(versions)}_{platform.machine()}"
