"""Builds the shared library with CMake and puts it into the wheel, with the libraries that it needs (python/bundle.py).

The wheel has no extension module: one wheel serves every version of Python on a platform. DLTF_LIBRARY names a library
that has been built already, or is "system": the package then has no library and loads the one of the system. Everything else is in
pyproject.toml.
"""
import os
import pathlib
import re
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).parent.resolve()
sys.path.insert(0, str(ROOT / "python"))
import bundle  # noqa: E402

VERSION = re.search(r'#define DLTF_VERSION "(.*)"', (ROOT / "include/dltf/core.h").read_text()).group(1)


def build_library(folder: pathlib.Path) -> pathlib.Path:
    """The shared library, from the source."""
    configure = ["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF"]
    subprocess.run([*configure, "-G", "Ninja"], check=True)
    subprocess.run(["cmake", "--build", folder, "--target", "dltf"], check=True)
    return next((folder / "lib").glob("libdltf.so.*.*.*"))


GIVEN = os.environ.get("DLTF_LIBRARY")


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        if GIVEN == "system":
            return
        library = pathlib.Path(GIVEN) if GIVEN else build_library(pathlib.Path(self.get_finalized_command("build").build_temp))
        bundle.bundle(library, pathlib.Path(self.build_lib, "dltf", "lib"))


class PlatformWheel(bdist_wheel):
    def get_tag(self):
        """Any Python 3; the platform is the oldest glibc that has all symbols the libraries ask for."""
        if GIVEN == "system":
            return super().get_tag()
        return "py3", "none", bundle.platform_tag(pathlib.Path(self.get_finalized_command("build_py").build_lib, "dltf", "lib"))


class BinaryDistribution(Distribution):
    def has_ext_modules(self):
        return GIVEN != "system"  # with libraries, the wheel is for one platform


setup(version=VERSION, distclass=BinaryDistribution, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel},
      options={"build": {"build_base": "build/python"}, "bdist_wheel": {"bdist_dir": "build/python/wheel"}})
