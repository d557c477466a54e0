# Shortcuts. The build itself is done by CMake (CMakeLists.txt, CMakePresets.json).
PREFIX ?= $(or $(prefix),/usr/local)
DESTDIR ?=

# Without tests by default: they need more packages. In a git checkout warnings are errors, as in `make test`, which would
# otherwise compile everything again with other flags; DLTF_WERROR=OFF for a compiler that warns more than ours.
DLTF_WERROR ?= $(if $(wildcard .git),ON,OFF)
CONFIGURE = cmake --preset release $(if $(wildcard build/release/CMakeCache.txt),,-DBUILD_TESTING=OFF -DDLTF_WERROR=$(DLTF_WERROR))
QUIETLY = > build/release.log 2>&1 || { cat build/release.log; exit 1; }

.PHONY: all demo test test-all python octave dist deb soak bench format install uninstall clean help

all:
	@command -v cmake > /dev/null || { echo "cmake not found: run scripts/install-deps build" >&2; exit 1; }
	@mkdir -p build
	@$(CONFIGURE) $(QUIETLY)
	@cmake --build --preset release
	@echo "built: build/release/bin/dltf"

demo:
	@scripts/install-deps build
	@$(MAKE) --no-print-directory all
	@scripts/demo

test:
	@scripts/install-deps test
	@scripts/run-tests

# Adds slow tests and those that need more packages: sanitizers, fuzzing, a second MPI, aarch64, fault injection.
test-all:
	@scripts/install-deps test-all
	@scripts/install-deps browser || echo "no browser could be installed: the test of pages is skipped"
	@scripts/run-tests all

# The Python package: wheel and source archive, offline (python/README.md).
python:
	@scripts/install-deps python
	@mkdir -p build/python
	@/usr/bin/python3 -m build --no-isolation -o build/python/dist . > build/python/log 2>&1 || { tail -n 40 build/python/log; exit 1; }
	@ls build/python/dist/*

# Bounded by SOAK_MINUTES; what led to a defect is kept in build/soak-defects.
SOAK_MINUTES ?= 30
soak:
	@scripts/install-deps test-all
	@mkdir -p build
	@cmake --preset release -DBUILD_TESTING=ON > build/release.log && cmake --build --preset release --target dltf_cli fault
	@cmake --preset asan -DBUILD_TESTING=ON > build/asan.log && cmake --build --preset asan --target dltf_fuzzers
	@tests/soak/soak --program build/release/bin/dltf --library build/release/tests/libfault.so \
	  --fuzzers build/asan/tests --minutes $(SOAK_MINUTES) --kept build/soak-defects -o tests/soak/summary.json

# Use an idle machine: other load distorts the ratios.
bench: all
	@for name in $$(build/release/bin/dltf-bench --list); do echo "== $$name"; build/release/bin/dltf-bench $$name -o bench/results/$$name.json || exit; done
	@grep -q avx512 /proc/cpuinfo || exit 0; echo "== encode, AVX2 only"; \
	  DLTF_KERNELS=avx2 OPENBLAS_CORETYPE=Haswell build/release/bin/dltf-bench encode -o bench/results/encode-avx2.json
	@echo "== peers"; bench/peers -o bench/results/peers.json
	@echo "== kmeans"; bench/kmeans -o bench/results/kmeans.json
	@echo "== python"; bench/python_peers -o bench/results/python_peers.json
	@echo "== networks"; bench/networks -o bench/results/networks.json
	@echo "== searchers"; bench/searchers -o bench/results/searchers.json
	@echo "== learners"; bench/learners --speed --again -o bench/results/learners.json --figures bench/results
	@bench/page

# The package for Octave, built against the library of `make`, installed and tested below build/octave.
octave: all
	@scripts/octave-package

# The release archive of the last commit, with checksum and bill of materials, in build/dist (RELEASE.md).
dist:
	@scripts/dist

# Debian packages, built and tried in a clean system below build/deb; as root.
deb:
	@scripts/install-deps deb
	@scripts/deb

format:
	scripts/check-format --fix

install: all
	@cmake --preset release -DCMAKE_INSTALL_PREFIX="$(PREFIX)" $(QUIETLY)
	@cmake --build --preset release
	@DESTDIR="$(DESTDIR)" cmake --install build/release
	@case "$(DESTDIR):$(PREFIX:%/=%)" in :/usr | :/usr/local) [ "$$(id -u)" != 0 ] || ldconfig ;; esac

# What the last `make install` installed; with the same DESTDIR.
uninstall:
	@DESTDIR="$(DESTDIR)" cmake -DMANIFEST=build/release/install_manifest.txt -P cmake/uninstall.cmake

clean:
	rm -rf build demo

help:
	@echo "make          build; the program is build/release/bin/dltf"
	@echo "make demo     run a demo of under a minute; installs the packages it needs"
	@echo "make test     run the tests; installs the packages they need"
	@echo "make test-all run also the tests that take long: sanitizers, two MPIs, aarch64, faults; installs more packages"
	@echo "make python   build the Python package: wheel and source archive in build/python/dist"
	@echo "make soak     disturb the program for SOAK_MINUTES (30); writes tests/soak/summary.json"
	@echo "make bench    run the benchmarks; writes bench/results and the tables of docs/performance.md"
	@echo "make octave   make and test the package for Octave, build/octave/dltf-octave-VERSION.tar.gz"
	@echo "make dist     write the release archive of the last commit to build/dist"
	@echo "make deb      build Debian packages in a clean system and try them; as root; writes build/deb"
	@echo "make format   format the C files"
	@echo "make install  install to PREFIX (default /usr/local), below DESTDIR if set; make uninstall removes it again"
	@echo "make clean    remove build and demo output"
