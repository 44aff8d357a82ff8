# make        tiny.h, .hpp from src/, and examples             make bench   ratios against named references
# make run    sets up what is needed, trains digits          make fuzz    FUZZ_SECONDS=60 each, 10,000 programs
# make test   sets up what the tests need, runs them all     make golden  rewrites tests/golden; review it by its diff
# make test-whole   the same, and every value of those that make test keeps brief: a line `// brief: asan` in a test
# make check  what to know while working: two minutes        make million  chains of a million operators: minutes, 19 GB
# make arm64  some of the tests, emulated                    make late    all of them on a device that is late
# make outside  all of them by clang; make levels  on lesser processors, LEVELS="sse2 sse4 avx2"
# make llvm   all of them by LLVM IR, where clang is 15+   make install PREFIX=/usr/local; make site: docs/ to build/site
# make ptx    those that name no device of their own on our PTX, TEST_PTX=sm_75 .. sm_90a, which the tests' machine executes
# make test-nv  vectors and programs on NV, on GPUs that are played (TEST_NV=real: on a GPU); PTX on the tests' machine
# make test-gpu  vectors and random programs on every device of OpenCL; make bench-cl: what it reaches; make beam: searches
# make languages: kernels in every language, compiled for every target, to bench/languages.md; EVERY=1: all of them
# make wasm   some of the tests in node, built by emscripten, kernels as modules of WebAssembly
# make bench-isa: code of the built-in compiler beside clang's, row by row, and the time it takes; make bench-amd: for AMD's
# make test-amd  vectors and programs on AMD, on GPUs that are played (TEST_AMD=real: on a GPU)
# make test-metal  vectors and programs on METAL, on Apple's GPUs that are played; make test-metal-device: what wants a Mac
# make test-amd-device  what could not be proven without one of AMD's GPUs, item by item
# make lowering: what a kernel takes from its graph to its text; make sass: what nvcc makes of the kernels of make count
# make browser: the page of examples/browser, and tests in node; make portable: all that runs on other systems
# Everything that is built lands in build/. A test says in a line `// also: tsan valgrind` how else it is run.

JOBS    ?= 2
CLANG   ?= clang
PYTHON  ?= python3
WARN     = -Wall -Wextra -Wpedantic -Werror
LIBS     = -lm -lpthread
DEPS     = -MMD -MP -MF $@.d
HAND     = $(shell command -v $(CLANG) >/dev/null && echo $(CLANG) -mprefer-vector-width=512 || echo $(CC))
FUZZ_SECONDS ?= 60

SOURCES  := $(shell find src -name '*.c' -o -name '*.h' -o -name '*.m' -o -name '*.txt') LICENSE tools/amalgamate.py
EXAMPLES := $(patsubst examples/%.c,build/examples/%,$(wildcard examples/*.c))
FUZZERS  := $(patsubst tests/%.c,build/fuzz/%,$(wildcard tests/fuzz_*.c))
TESTS    := $(patsubst tests/%.c,%,$(wildcard tests/test_*.c))
# Without an Objective-C there is no METAL to test; where there is apt-get, tools/setup.sh gets it.
TESTS    := $(if $(wildcard /usr/include/GNUstep/Foundation/Foundation.h /usr/bin/apt-get),$(TESTS),\
              $(filter-out test_metal test_metal_mock,$(TESTS)))
also      = $(patsubst tests/%.c,%,$(shell grep -lE '^// also:.* $(1)( |$$)' $(TESTS:%=tests/%.c) /dev/null))
PROGRAMS := $(TESTS:%=build/plain/%) $(TESTS:%=build/asan/%) $(patsubst %,build/tsan/%,$(call also,tsan)) \
            $(patsubst %,build/late/%,$(call also,late)) $(patsubst %,build/llvm/%,$(call also,llvm)) \
            $(patsubst %,build/ptx-own/%,$(call also,ptx-own))
LEVELS   := sse2 sse4 avx2
# The same programs in other ways: tools/run_tests.py.
OTHERWISE := $(patsubst %,valgrind:build/plain/%,$(call also,valgrind)) $(patsubst %,outside:build/plain/%,$(call also,outside)) \
             $(foreach level,$(LEVELS),$(patsubst %,$(level):build/plain/%,$(call also,levels)))
SCRIPTS  := $(wildcard tests/test_*.sh tests/test_*.py)
# In `make test` these look at every so many of their values (TEST_BRIEF): the test's line `// brief: asan tsan` says in which
# flavours. The same places of the code are passed; the other values are make test-whole's, by BRIEF=.
briefly   = $(patsubst tests/%.c,$(2)%,$(shell grep -lE '^// brief:.* $(1)( |$$)' $(TESTS:%=tests/%.c) /dev/null))
BRIEF     = $(foreach flavour,plain asan tsan llvm ptx-own,$(call briefly,$(flavour),build/$(flavour)/)) \
            $(call briefly,outside,outside:build/plain/) $(foreach level,$(LEVELS),$(call briefly,levels,$(level):build/plain/)) $(addprefix tests/test_,browser.py rooms.py fuzz.sh vectors_devices.sh)
# First, so that no processor waits for them in the end; what plain ones have compiled the others find.
LONGEST   = tests/test_headers.sh outside:build/plain/test_vectors build/llvm/test_matmul build/plain/test_search build/plain/test_matmul

all: tiny.h tiny.hpp $(EXAMPLES)

tiny.h: $(SOURCES)
	@echo "write $@"
	@$(PYTHON) tools/amalgamate.py

tiny.hpp: src/cpp/tiny.hpp.in tools/hpp.py $(wildcard src/api/*.h)
	@echo "write $@"
	@$(PYTHON) tools/hpp.py

verify-amalgam:
	@$(PYTHON) tools/amalgamate.py --check
	@$(PYTHON) tools/hpp.py --check

run:
	@tools/setup.sh run
	@$(MAKE) -s build/examples/digits
	@build/examples/digits

test:
	@tools/setup.sh test
	@$(MAKE) -s -k -j$(JOBS) tiny.h $(WHOLES) $(PROGRAMS) || echo "some tests did not build"
	@$(PYTHON) tools/run_tests.py --jobs $(JOBS) $(foreach p,$(LONGEST) $(filter-out $(LONGEST),$(SCRIPTS) $(OTHERWISE) $(PROGRAMS)), \
	  $(if $(filter $(p),$(BRIEF)),brief:)$(p))

test-whole:
	@$(MAKE) test BRIEF=

# What says most in a second: each room once, random programs in a tenth of the rounds, the header without a warning.
CHECKED  = codegen attention blob capture cliffs decompose einsum elementwise errors eval grad index lengths limits look loss match \
           matmul movement norm order print random recurrent rules schedule spec symbolic tensor uop view
CHECKED := $(CHECKED:%=build/plain/test_%) $(patsubst %,build/late/test_%,blob order tensor)
check:
	@$(MAKE) -s -k -j$(JOBS) tiny.h $(CHECKED) || echo "some tests did not build"
	@TEST_BRIEF=1 $(PYTHON) tools/run_tests.py --jobs $(JOBS) $(CHECKED) tests/test_headers.sh

# Headers, static library and tiny.pc for pkg-config: make install PREFIX=/usr/local DESTDIR=
PREFIX ?= /usr/local
install: build/install/libtiny.a
	@mkdir -p "$(DESTDIR)$(PREFIX)/include" "$(DESTDIR)$(PREFIX)/lib/pkgconfig"
	@cp tiny.h tiny.hpp tiny_cl.h tiny_cuda.h tiny_nv.h tiny_amd.h tiny_metal.h tiny_metal.m "$(DESTDIR)$(PREFIX)/include/"
	@cp $< "$(DESTDIR)$(PREFIX)/lib/"
	@case "$(PREFIX)" in /*) prefix="$(PREFIX)" ;; *) prefix="$$PWD/$(PREFIX)" ;; esac && \
	sed -e "s|@PREFIX@|$$prefix|" -e 's|@LIBDIR@|$${prefix}/lib|; s|@INCLUDEDIR@|$${prefix}/include|' \
	  -e 's|@CFLAGS@||' -e "s|@VERSION@|$$(sed -n 's/^#define TINY_VERSION "\(.*\)"/\1/p' tiny.h)|" packaging/tiny.pc.in \
	  >"$(DESTDIR)$(PREFIX)/lib/pkgconfig/tiny.pc"
build/install/libtiny.a: tiny.c tiny.h
	@echo "build $@" && mkdir -p $(@D) && rm -f $@
	@$(CC) -std=c11 $(or $(CFLAGS),-O2) -fPIC -c $< -o build/install/tiny.o && $(AR) rcs $@ build/install/tiny.o

bench: build/bench/bench build/examples/hello build/examples/digits
	@build/bench/bench $(BENCH_FLAGS) $(SECTIONS)
	@$(PYTHON) tools/chart.py build/bench.json build/bench.svg

# The last run, into the repository.
results: build/bench.json
	@cp build/bench.json bench/results.json
	@$(PYTHON) tools/chart.py bench/results.json bench/results.svg bench/results.md

fuzz: $(FUZZERS) build/plain/test_random
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tools/fuzz.sh $(filter-out %/fuzz_api,$(FUZZERS)) $(filter %/fuzz_api,$(FUZZERS))
	@TEST_ROUNDS=400 TEST_FROM=100001 build/plain/test_random

# AMD's without a GPU: vectors and programs on AMD, on GPUs that are played, by the built-in compiler and the emulator; with
# TEST_AMD_COMPILER=clang by clang.
test-amd: build/plain/test_amd
	@$(MAKE) -s tiny.h
	@build/plain/test_amd
	@TEST_AMD_GPUS="$${TEST_AMD:-gfx1100 gfx1201 gfx942}" TEST_STRIDE=$${TEST_STRIDE:-8} TEST_ROUNDS=$${TEST_ROUNDS:-40} \
	  TEST_RANDOM=$${TEST_RANDOM:-4} TEST_STEPS=$${TEST_STEPS:-10} tests/test_amd.sh

# What could not be proven without one of AMD's GPUs, item by item, for who has one.
test-amd-device: build/plain/test_amd_device
	@build/plain/test_amd_device card

# Every test so.
late: $(TESTS:%=build/late/%)
	@$(PYTHON) tools/run_tests.py --jobs $(JOBS) $^

# Every test whose kernels clang compiles, and every one on lesser processors, but for those that have devices or compilers of
# their own, name the device, or ask for errors that FMA keeps within, or for memory that this processor's schedules take.
NO_LEVELS = accelerator metal metal_kernel metal_mock amd amd_device amd_assembly amd_mock amd_emulator amd_foreign backend devices cuda cl nv nv_mock wgsl cubin qmd ptx ptx_machine ptx_nvcc ptx_wide ptx_tcgen05 tma amd_waits amd_registers amd_schedule amd_arithmetic \
            amd_isa amd_object arm64 x86 isa isa_few isa_host isa_lists wasm wasm_run same_bits tiers languages lang_c llvm cpu errors trust math stack lengths_long
outside: $(TESTS:%=build/plain/%)
	@$(PYTHON) tools/run_tests.py --jobs $(JOBS) $(^:%=outside:%)
levels: $(patsubst %,build/plain/%,$(filter-out $(NO_LEVELS:%=test_%),$(TESTS)))
	@$(PYTHON) tools/run_tests.py --jobs $(JOBS) $(foreach level,$(LEVELS),$(^:%=$(level):%))

# Every test whose CPU takes LLVM IR instead of C, but for those that bring C or compilers of their own, or look for C.
llvm: $(patsubst %,build/llvm/%,$(filter-out test_cpu test_cache test_debug test_trust test_os test_lang_c,$(TESTS)))
	@$(PYTHON) tools/run_tests.py --jobs $(JOBS) $^

# Every test on PTX of our own, but those that open devices of their own, have no device, look at other texts, or ask
# what INTERP alone has: memory that is the host's (tiny_blob, find_nan), launches as nodes (codegen), numbers that are
# exact, no compiler (errors, unpack: its memory), frames on the host's stack.
NO_PTX  = accelerator metal metal_kernel metal_mock amd amd_device amd_assembly amd_mock amd_emulator amd_foreign backend devices match cuda cl nv nv_mock wgsl cubin qmd ptx ptx_machine ptx_nvcc ptx_wide amd_waits amd_registers amd_schedule amd_arithmetic \
          ptx_tcgen05 tma amd_isa amd_object x86 isa isa_few isa_host isa_lists wasm wasm_run languages lang_c llvm cpu elf os number print uop view version \
          symbolic spec eval decompose rules trust loader host debug cache count blob reads codegen errors \
          find_nan stack unpack
ptx: $(patsubst %,build/ptx-own/%,$(filter-out $(NO_PTX:%=test_%),$(TESTS)))
	@TEST_BRIEF=1 TEST_PTX=$${TEST_PTX:-sm_90a} $(PYTHON) tools/run_tests.py --jobs $(JOBS) $^

test-gpu: build/plain/test_cl build/cl/test_vectors build/cl/test_random
	@tools/test_gpu.sh

# NVIDIA's without a GPU: vectors and programs on NV, on GPUs that are played; CUDA C by NVRTC on the machine for PTX, all
# graphs on each GPU, vectors and random programs.
test-nv: build/plain/test_ptx_nvcc build/plain/test_ptx_machine build/plain/test_ptx_wide build/plain/test_ptx_tcgen05
	@$(MAKE) -s tiny.h
	@TEST_NV_GPUS="$${TEST_NV:-0 1 2 3 4 5}" TEST_STRIDE=$${TEST_STRIDE:-1} TEST_ROUNDS=$${TEST_ROUNDS:-100} tests/test_nv.sh
	@build/plain/test_ptx_machine && build/plain/test_ptx_wide && build/plain/test_ptx_tcgen05
	@for gpu in sm_75 sm_80 sm_90; do TEST_PTX=$$gpu TEST_PTX_SEED=$${gpu#sm_} TEST_ROUNDS=100000 build/plain/test_ptx_nvcc || exit 1; done
	@TEST_STEP=1 TEST_STRIDE=8 TEST_SEEDS="11 12 13 14 15 16" tests/test_ptx_nvcc.sh

# Apple's without a Mac: vectors and programs on METAL, on GPUs that are played; and cross compiled.
test-metal: build/plain/test_metal build/plain/test_languages
	@$(MAKE) -s tiny.h
	@build/plain/test_metal
	@TEST_METAL_CHIPS="$${TEST_METAL:-apple7 apple8 apple9 mac2}" TEST_STRIDE=$${TEST_STRIDE:-100} TEST_ROUNDS=$${TEST_ROUNDS:-100} \
	  TEST_RANDOM=$${TEST_RANDOM:-1} TEST_SAVED=$${TEST_SAVED:-8} TEST_STEPS=$${TEST_STEPS:-20} TEST_METAL_ASAN=1 tests/test_metal.sh
	@tests/test_metal_cross.sh
	@TEST_OTHERS=only build/plain/test_languages

# What could not be proven without a Mac, item by item; elsewhere on the mock, which it says.
ifeq ($(shell uname),Darwin)
build/metal-device: tests/test_metal_device.m tiny_metal.m tiny_metal.h tiny.h
	@$(BUILD) $(CC) -std=c11 -O2 -Wall -Wextra -I. tests/test_metal_device.m tiny_metal.m -framework Metal -framework Foundation -o $@
else
build/metal-device: build/mock/metal/device
	@cp $< $@
endif
test-metal-device: build/metal-device
	@build/metal-device

million:
	@mkdir -p build/stack
	@$(CC) -std=c11 -O2 -w -I. tests/test_stack.c -o build/stack/million $(LIBS)
	@TEST_CHAIN=1000000 build/stack/million

ARM64 = test_transcendental test_reduce test_sort test_tiled test_attention test_conv test_matmul
# Kernels by the built-in compiler of arm64.
ARM64_ISA = test_isa test_isa_few test_isa_host test_isa_lists
arm64:
	@tools/arm64.sh $(ARM64) $(ARM64_ISA)

# With emscripten, in node: kernels are modules that the library writes.
WASM = test_matmul test_elementwise test_vectors
wasm:
	@TEST_STRIDE=$${TEST_STRIDE:-40} tools/wasm.sh $(WASM)

EVERY ?= 2
languages: build/plain/test_languages
	@rm -rf build/languages/all && mkdir -p build/languages/all
	@TEST_LANGUAGES=build/languages/all TEST_LANGUAGES_ALL=1 build/plain/test_languages
	@$(PYTHON) tools/languages.py build/languages/all --every $(EVERY) --jobs $(JOBS) --write bench/languages.md

# WebAssembly, by emscripten: tests in node, the page of examples/browser in headless Chromium.
browser: tiny.h
	@tools/setup.sh browser
	@$(PYTHON) tests/test_browser.py

# Other systems, as far as they can be had here: emulated, under Wine, in a browser.
portable: tiny.h
	@tests/test_windows.sh
	@tests/test_cross.sh install
	@$(MAKE) -s arm64
	@$(MAKE) -s browser
	@$(MAKE) -s wasm

# The page, to be served: python3 -m http.server -d build/browser. Debian's emscripten finds its own acorn no other way.
EMCC    ?= emcc
EMFLAGS ?= -sALLOW_TABLE_GROWTH=1
page: build/browser/page.js
build/browser/page.js: examples/browser/page.c examples/browser/index.html examples/data/digits.csv tiny.h
	@echo "build $@" && mkdir -p $(@D) && rm -f $@
	@cp examples/browser/index.html $(@D)
	@NODE_PATH="$${NODE_PATH:-/usr/share/nodejs}" $(EMCC) -std=c11 -O2 $(WARN) -I. $< -o $@ $(EMFLAGS) \
	  --preload-file examples/data/digits.csv@digits.csv -sALLOW_MEMORY_GROWTH=1 -sEXPORTED_RUNTIME_METHODS=UTF8ToString
.PHONY: browser page portable

# The pages, by MkDocs.
site:
	@tools/setup.sh site
	@mkdocs build --strict -q && echo build/site/index.html

golden: $(TESTS:%=build/plain/%)
	@for p in $(call also,golden); do TINY_GOLDEN=rewrite build/plain/$$p || exit 1; done

clean:
	rm -rf build

# A program whose build fails must not be left over from the last build that went well: rm comes first.
build/examples/%: examples/%.c tiny.h
	@echo "build $@" && mkdir -p $(@D) && rm -f $@
	@$(CC) -std=c11 -O2 $(WARN) -I. $< -o $@ $(LIBS)

ONEDNN = $(if $(wildcard /usr/include/oneapi/dnnl/dnnl.h /usr/local/include/oneapi/dnnl/dnnl.h),-DBENCH_ONEDNN)
build/bench/bench: bench/bench.c $(filter-out bench/hand.c,$(wildcard bench/*.c)) bench/numbers.h build/bench/hand.o tiny.h
	@echo "build $@" && mkdir -p $(@D) && rm -f $@
	@$(CC) -std=c11 -O2 $(WARN) $(ONEDNN) -I. $< build/bench/hand.o -o $@ $(LIBS) -ldl

# By how much tiny_run_for goes beyond its time: make bench-budget FRAMES=10000
bench-budget: build/bench/budget
	@build/bench/budget $(FRAMES)
build/bench/budget: bench/budget.c bench/numbers.h tiny.h
	@echo "build $@" && mkdir -p $(@D) && rm -f $@
	@$(CC) -std=c11 -O2 $(WARN) -D_POSIX_C_SOURCE=200809L -I. $< -o $@ $(LIBS)

bench-cl: build/bench/cl
	@build/bench/cl
build/bench/cl: bench/cl.c bench/measure.c bench/numbers.h tiny.h tiny_cl.h
	@echo "build $@" && mkdir -p $(@D) && rm -f $@
	@$(CC) -std=gnu11 -O2 $(WARN) -Wno-unused-function -I. $< -o $@ $(LIBS) -ldl

# bench/gpu.sh
build/gpu: bench/gpu.c bench/measure.c bench/numbers.h bench/transformer.c tiny.h tiny_cuda.h
	@echo "build $@" && mkdir -p $(@D) && rm -f $@
	@$(CC) -std=c11 -O2 $(WARN) -Wno-unused-function -I. $< -o $@ $(LIBS) -ldl

# Kernels for GPUs that are not here, run and counted: make count TARGETS="sm_80 gfx942" COUNT_FLAGS="-v -k matmul"
count: build/bench/count
	@build/bench/count $(COUNT_FLAGS) $(TARGETS)

# The same kernels of NVIDIA's GPUs as nvcc compiles them: registers, spills, instructions of the busiest loop
SASS ?= sm_80 sm_90
sass: build/bench/count
	@rm -rf build/sass && mkdir -p build/sass
	@build/bench/count $(COUNT_FLAGS) -w build/sass $(SASS) >build/sass/count.txt
	@$(PYTHON) tools/sass_count.py --sources build/sass --arch $(SASS) --write build/sass/table.md
	@$(PYTHON) tools/sass_count.py --sources build/sass --arch $(SASS) --beside build/sass/ptx.md

# What a kernel takes from the graph to its text, without a compiler: make lowering LOWERING_FLAGS=-v
lowering: build/bench/lowering
	@build/bench/lowering $(LOWERING_FLAGS)

# The built-in compiler beside clang: make bench-isa ISA_FLAGS="-v -k softmax"
bench-isa: build/bench/isa
	@build/bench/isa $(ISA_FLAGS)

# Code for AMD's GPUs by the built-in generator beside clang's, on an emulator: make bench-amd AMD_FLAGS="-v -k softmax gfx942"
bench-amd: build/bench/amd_corpus
	@build/bench/amd_corpus $(AMD_FLAGS)

# What a search finds on a device of OpenCL, beside the heuristics: make beam BEAM_FLAGS="CL:1 2"
beam: build/bench/beam
	@build/bench/beam $(BEAM_FLAGS)
build/bench/beam: bench/beam.c tiny.h tiny_cl.h
	@echo "build $@" && mkdir -p $(@D) && rm -f $@
	@$(CC) -std=c11 -O2 $(WARN) -Wno-unused-function -I. $< -o $@ $(LIBS) -ldl

# They use the rooms themselves.
build/bench/count build/bench/lowering: bench/count.h bench/count_list.h bench/gpu.h
build/bench/lowering: bench/count.c
build/bench/isa: bench/measure.c bench/numbers.h
build/bench/amd_corpus: bench/amd_corpus.h bench/numbers.h bench/gpu.h $(wildcard tests/amd_*)
build/bench/amd_corpus build/bench/cost build/bench/count build/bench/isa build/bench/lowering: build/bench/%: bench/%.c $(SOURCES)
	@echo "build $@" && mkdir -p $(@D) && rm -f $@
	@$(CC) -std=c11 -O2 $(WARN) -Wno-unused-function $< -o $@ $(LIBS)

# The loops that tiny.h is compared with get the best this machine has: clang's vectors, at full width.
build/bench/hand.o: bench/hand.c bench/hand.h
	@echo "build $@" && mkdir -p $(@D) && rm -f $@
	@$(HAND) -std=c11 -O3 -march=native $(WARN) -c $< -o $@

# Tests share an object of the library (tools/library.py), but those with a backend or rules of their own. Two objects
# are optimised: gcc's, which in test_calls is what traps (gcc's own floor), and the sanitised, which costs a minute and
# saves ten. Undefined behaviour is looked for before the optimiser sees it.
OPTIMISED  = plain asan ptx ptx-own metal metal-asan
TEST_FLAGS = -std=c11 -g $(WARN) -Wno-misleading-indentation -Wno-unused-function -DTN_VERIFY_PASSES=1 -I. \
             '-DTEST_PROGRAM="$@"' $(DEPS)
SANITIZE   = -gline-tables-only -fno-sanitize-recover=all -fno-omit-frame-pointer -fsanitize
BUILD      = echo "build $@" && mkdir -p $(@D) && rm -f $@ &&
plain      = $(CC) $(TEST_FLAGS)
asan       = $(CLANG) $(TEST_FLAGS) $(SANITIZE)=address,undefined
tsan       = $(CLANG) $(TEST_FLAGS) $(SANITIZE)=thread
fuzz       = $(CLANG) -O1 $(TEST_FLAGS) $(SANITIZE)=fuzzer,address,undefined
fuzz-brief = $(CLANG) $(TEST_FLAGS) $(SANITIZE)=fuzzer,address,undefined
# The CPU takes LLVM IR. In TINY_GOLDEN's texts stands C.
llvm       = $(CC) $(TEST_FLAGS) -DTN_TEST_IR=1
# INTERP as late as the contract of a device allows.
late       = $(CC) $(TEST_FLAGS) '-DTN_TEST_BACKEND="tests/late.h"'
# OpenCL in the place of INTERP.
cl         = $(CC) $(TEST_FLAGS) '-DTN_TEST_BACKEND="tests/cl.h"'
# CUDA in the place of INTERP: tests/test_cuda.sh, bench/gpu.sh.
cuda       = $(CC) $(TEST_FLAGS) '-DTN_TEST_BACKEND="tests/cuda.h"'
# CUDA C by NVRTC, its PTX on a machine of the tests: tests/test_ptx_nvcc.sh.
ptx        = $(CC) $(TEST_FLAGS) '-DTN_TEST_BACKEND="tests/ptx.h"'
# Our own PTX on that machine in the place of INTERP: make ptx.
ptx-own    = $(CC) $(TEST_FLAGS) '-DTN_TEST_BACKEND="tests/ptx_device.h"'
# Machine code on the tests' emulator of AMD GPUs in the place of INTERP: TINY_DEV=INTERP TEST_AMD=gfx942 build/gfx/test_vectors.
gfx        = $(CC) $(TEST_FLAGS) '-DTN_TEST_BACKEND="tests/amd_device.h"'
# NV in the place of INTERP, on a GPU that is played: tests/test_nv.sh.
nv         = $(CC) $(TEST_FLAGS) '-DTN_TEST_BACKEND="tests/nv.h"'
# AMD in the place of INTERP, on a GPU that is played, by an emulator: tests/test_amd.sh.
amd        = $(CC) $(TEST_FLAGS) '-DTN_TEST_BACKEND="tests/amd.h"'
# METAL in the place of INTERP, on GPUs that are played: tests/test_metal.sh.
metal      = $(CC) $(TEST_FLAGS) '-DTN_TEST_BACKEND="tests/metal.h"'
metal-asan = $(METAL_CLANG) $(TEST_FLAGS) $(SANITIZE)=address,undefined '-DTN_TEST_BACKEND="tests/metal.h"'
FLAVOURS   = plain late cl cuda ptx ptx-own gfx nv amd metal metal-asan llvm asan tsan fuzz fuzz-brief
OWN       := $(patsubst tests/%.c,%,$(shell grep -lE 'TN_TEST_BACKEND|RULES_END|TN_X86_REGS|isa/arm64_object|TN_TIER_GAIN|TN_OS_REFUSES|define TINY_RUNTIME_ONLY' tests/test_*.c tests/fuzz_*.c /dev/null))
WHOLE      = -DTEST_LIBRARY -include build/library.c -c -x c /dev/null
# The object that a flavour's programs share: what differs is a variable there (tools/library.py).
OBJECT     = build/library/$(if $(filter llvm,$(1)),plain,$(1)).o

# Also looked at when a test changes, which may set another size; what stays as it was makes nothing anew.
build/library.h: $(SOURCES) tools/library.py $(TESTS:%=tests/%.c)
	@$(PYTHON) tools/library.py build
build/library.c: build/library.h ;

# How a flavour is built, and by which release of the compiler: another way makes everything of it anew.
build/flags/%: FORCE
	@mkdir -p $(@D) && said="$$($(firstword $($*)) --version; \
	   printf '%s\n' $(foreach word,$($*) -O1: $(OPTIMISED),'$(subst ','\'',$(word))'))" && \
	 [ "$$said" = "$$(cat $@ 2>/dev/null)" ] || printf '%s\n' "$$said" >$@

# -MD: to the compiler all of it is a system's header, tests/cuda.h and src/cuda, too.
$(FLAVOURS:%=build/library/%.o): build/library/%.o: build/library.c build/flags/%
	@$(BUILD) $(subst -MMD,-MD,$($*)) $(if $(filter $(OPTIMISED),$*),-O1) $(WHOLE) -o $@

# A CUDA driver and its compiler for machines without a GPU: tests/test_cuda.sh.
MOCK_CXX = $(firstword $(foreach c,clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++ g++,$(if $(shell command -v $(c)),$(c))))
build/mock/libcuda.so.1: tests/mock_cuda.cpp tests/mock_cuda.h build/mock/ptx_machine.o
	@$(BUILD) $(CXX) -std=c++17 -O1 -g -Wall -Wextra -shared -fPIC -fvisibility=hidden $< build/mock/ptx_machine.o -o $@ -ldl -lpthread -lm
build/mock/libcuda-old.so.1: tests/mock_cuda.cpp tests/mock_cuda.h build/mock/ptx_machine.o
	@$(BUILD) $(CXX) -std=c++17 -O1 -g -DMOCK_CUDA_OLD -shared -fPIC -fvisibility=hidden $< build/mock/ptx_machine.o -o $@ -ldl -lpthread -lm
build/mock/ptx_machine.o: tests/ptx_machine.c $(wildcard tests/ptx_*.c tests/ptx_*.h)
	@$(BUILD) $(CC) -std=c11 -O2 -g -Wall -Wextra -fPIC -fvisibility=hidden -c $< -o $@
build/mock/libnvrtc.so.13: tests/mock_nvrtc.cpp
	@$(BUILD) $(CXX) -std=c++17 -O1 -g -Wall -Wextra -shared -fPIC '-DMOCK_TESTS="$(CURDIR)/tests"' '-DMOCK_CXX="$(MOCK_CXX)"' \
	  '-DMOCK_FLAGS="-O0"' $< -o $@
# AMD's Code Object Manager: tests/test_amd.sh.
build/mock/libamd_comgr.so.2: tests/mock_comgr.c
	@$(BUILD) $(CC) -std=c11 -O1 -g -Wall -Wextra -shared -fPIC -fvisibility=hidden $< -o $@
# Apple's Metal: GNUstep's Foundation, Metal as the tests declare it (tests/apple), kernels that are run as C++. tiny_metal.m
# is linked with it as a program of a Mac would be with the framework; one object for all, also sanitised.
METAL_CLANG  = $(firstword $(foreach c,clang-21 clang-20 clang-19 clang-18 clang,$(if $(shell command -v $(c)),$(c))))
METAL_OBJC   = $(METAL_CLANG) -x objective-c -fobjc-runtime=gcc -fconstant-string-class=NSConstantString -fexceptions \
               -fobjc-exceptions -Wno-objc-property-implementation -isystem /usr/include/GNUstep -idirafter $(shell gcc -print-file-name=include) \
               -Itests/apple/metal -Itests -I.
METAL_LIBS   = -lgnustep-base -lobjc -ldl
METAL_PARTS := $(patsubst tests/%,%,$(wildcard tests/metal_mock*.m)) metal_kernel.c
METAL_DEPS  := $(wildcard tests/metal_*.h tests/metal_mock*.m tests/metal_kernel*.c tests/apple/metal/Metal/*.h)
define metal_rules
build/mock/$(1)/%.m.o: tests/%.m $(METAL_DEPS)
	@$$(BUILD) $$(METAL_OBJC) -std=gnu11 -O1 $(2) -Wall -Wextra -c $$< -o $$@
build/mock/$(1)/%.c.o: tests/%.c $(METAL_DEPS)
	@$$(BUILD) $$(METAL_CLANG) -std=gnu11 -O1 $(2) -Wall -Wextra -Itests -I. -c $$< -o $$@
build/mock/$(1)/tiny_metal.o: tiny_metal.m tiny_metal.h tiny.h $(METAL_DEPS)
	@$$(BUILD) $$(METAL_OBJC) -std=gnu11 -O1 $(2) -Wall -Wextra -c $$< -o $$@
build/mock/$(1)/example: examples/metal.m build/mock/$(1).o
	@$$(BUILD) $$(METAL_OBJC) -std=gnu11 -O1 $(2) -Wall -Wextra $$< -x none build/mock/$(1).o -o $$@ $$(METAL_LIBS) $$(LIBS)
build/mock/$(1)/page.m: docs/metal.md
	@$$(BUILD) awk '/^```objc/ { n++; next } /^```/ { n += n == 1 } n == 1' $$< >$$@
build/mock/$(1)/page: build/mock/$(1)/page.m build/mock/$(1).o
	@$$(BUILD) $$(METAL_OBJC) -std=gnu11 -O1 $(2) -Wall -Wextra $$< -x none build/mock/$(1).o -o $$@ $$(METAL_LIBS) $$(LIBS)
build/mock/$(1)/device: tests/test_metal_device.m build/mock/$(1).o
	@$$(BUILD) $$(METAL_OBJC) -std=gnu11 -O1 $(2) -Wall -Wextra $$< -x none build/mock/$(1).o -o $$@ $$(METAL_LIBS) $$(LIBS)
build/mock/$(1)/test_metal_mock: tests/test_metal_mock.m $$(METAL_PARTS:%=build/mock/$(1)/%.o)
	@$$(BUILD) $$(METAL_OBJC) -std=gnu11 -O1 $(2) -Wall -Wextra -Wno-unused-function $$< -x none $$(METAL_PARTS:%=build/mock/$(1)/%.o) -o $$@ $$(METAL_LIBS) $$(LIBS)
build/mock/$(1).o: $$(METAL_PARTS:%=build/mock/$(1)/%.o) build/mock/$(1)/tiny_metal.o
	@$$(BUILD) ld -r $$^ -o $$@
endef
$(eval $(call metal_rules,metal,-g))
$(eval $(call metal_rules,metal-asan,$(SANITIZE)=address,undefined))
$(eval $(call metal_rules,metal-tsan,$(SANITIZE)=thread))
mock: build/mock/libcuda.so.1 build/mock/libcuda-old.so.1 build/mock/libnvrtc.so.13
build/plain/test_cuda build/asan/test_cuda: | mock

# tests/whole.c: with gcc's report of frames and calls (.ci), with clang's of frames (.su) and its text, which is optimised
# once (.ll).
WHOLE_WARN = $(WARN) -Wconversion -Wshadow
WHOLES    := $(foreach c,gcc clang,$(if $(shell command -v $(c)),build/whole/$(c)-O0.o build/whole/$(c)-O2.o))
whole-gcc   = gcc -std=c2x $(WHOLE_WARN) -Wno-misleading-indentation -fcallgraph-info=su,da
whole-clang = clang -std=c11 $(WHOLE_WARN) -gline-tables-only
build/whole/gcc-%.o: tests/whole.c tests/stack_test.h tiny.h build/flags/whole-gcc
	@$(BUILD) $(whole-gcc) -$* -c $< -o $@
build/whole/clang-%.ll: tests/whole.c tests/stack_test.h tiny.h build/flags/whole-clang
	@$(BUILD) $(whole-clang) -$* -S -emit-llvm $< -o $@
build/whole/clang-%.o: build/whole/clang-%.ll
	@$(BUILD) clang -$* -Xclang -disable-llvm-passes -fstack-usage -c $< -o $@

# What a flavour's programs are linked with besides, and the test of METAL in any.
build/plain/test_metal build/late/test_metal build/llvm/test_metal: LIBS += build/mock/metal.o $(METAL_LIBS)
build/plain/test_metal build/late/test_metal build/llvm/test_metal: build/mock/metal.o
build/asan/test_metal: LIBS += build/mock/metal-asan.o $(METAL_LIBS)
build/asan/test_metal: build/mock/metal-asan.o
build/asan/test_metal: private CLANG = $(METAL_CLANG)
build/tsan/test_metal: LIBS += build/mock/metal-tsan.o $(METAL_LIBS)
build/tsan/test_metal: build/mock/metal-tsan.o
build/tsan/test_metal: private CLANG = $(METAL_CLANG)
build/metal/% : LIBS += build/mock/metal.o $(METAL_LIBS)
build/metal-asan/% : LIBS += build/mock/metal-asan.o $(METAL_LIBS)
$(foreach flavour,metal metal-asan,$(eval $(TESTS:%=build/$(flavour)/%): build/mock/$(flavour).o))
define rules
$(OWN:%=build/$(1)/%): build/$(1)/%: tests/%.c build/flags/$(1)
	@$$(BUILD) $$($(1)) $$< -o $$@ $$(LIBS)
build/$(1)/%: tests/%.c $(OBJECT) build/flags/$(1)
	@$$(BUILD) $$($(1)) -include build/library.h $$< $(OBJECT) -o $$@ $$(LIBS)
endef
$(foreach flavour,$(FLAVOURS),$(eval $(call rules,$(flavour))))

-include $(wildcard build/*/*.d)

.PHONY: all run install test test-whole test-gpu test-nv test-amd test-amd-device test-metal test-metal-device check bench bench-amd bench-cl bench-isa beam bench-budget count sass lowering results fuzz golden languages site arm64 wasm late levels llvm outside ptx million verify-amalgam mock clean FORCE
.DELETE_ON_ERROR:
.SECONDARY:
