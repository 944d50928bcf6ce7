# The front door: the build itself is CMake's (CMakeLists.txt, CMakePresets.json).
PREFIX ?= /usr/local
given = $(filter -j%,$(MAKEFLAGS))
# As many jobs as make is given (-j4, or a job server); one a processor when it is not told.
JOBS ?= $(or $(patsubst -j%,%,$(given)),$(shell nproc))

all: build/sator

build/Makefile:
	@cmake --preset release >/dev/null || { tools/install-deps.sh --check; exit 1; }

build/sator: build/Makefile FORCE
	@+cmake --build build $(if $(given),,-j$(JOBS)) -- --no-print-directory

demo: deps build/sator
	@tools/demo.sh build/sator

check: deps build/sator
	@MAKEFLAGS= tools/check.sh $(JOBS)

bench: build/sator
	@tools/bench.sh $(JOBS)

bench-baseline: build/sator
	@tools/gate.sh --write "$(REASON)"

fidelity: build/sator
	@tools/fidelity.sh

python: build/Makefile
	@+cmake --build build $(if $(given),,-j$(JOBS)) --target python -- --no-print-directory

# The sources of the last commit, and Debian packages of what they build.
dist:
	@tools/dist.sh

deb: dist
	@tools/deb.sh $(JOBS)

install: build/sator
	cmake --install build --prefix $(PREFIX)

lint: build/Makefile
	@tools/lint.sh $(JOBS)

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

deps:
	@tools/install-deps.sh

clean:
	rm -rf build

FORCE:
.PHONY: all dist deb demo check bench bench-baseline fidelity python install lint format deps clean FORCE
