# SPDX-License-Identifier: Apache-2.0
# The front door. `make demo` shows it working, `make check` tests it; both install what is missing first.
# Beneath are CMake and Ninja; this file only names the things people want.

BUILD = build
PREFIX = /usr/local
RANKS = 4
ROUNDS = 1
MINUTES = 60
RDMA = short
FORMATTED = src include/corunna tests bench examples apps
MAVEN_REPO = $(HOME)/.m2/repository

# Continuous integration takes warnings as errors.
ifeq ($(CI),true)
WERROR = ON
else
WERROR = OFF
endif
JAVA = ON
FORTRAN = ON

CONFIGURE = cmake -G Ninja -S . -DCOR_WERROR=$(WERROR) --log-level=WARNING
CTEST = ctest --output-on-failure --no-tests=error -j8
# The subjects of which a sanitizer sees something; TIER=quick: only their quick tests.
SANITIZED = '^(p2p|unit|dtype|comm|dynamic|coll|win|cface|launcher.unit)[./]' $(SANITIZED_BUT) \
	$(if $(TIER),-L '^$(TIER)$$')
# Where changes begin that `make check-changed` looks at: the last commit that was half a day old when HEAD was made.
BASE = $(shell git rev-list -1 --before=$$(($$(git log -1 --format=%ct) - 43200)) HEAD)

.PHONY: all setup tests-quick tests-all demo check check-merge check-all check-apps check-sockets check-rdma \
	check-x86_64 check-aarch64 bench applications picture check-asan check-tsan check-format check-changed fuzz \
	lint javadoc maven deb check-deb install uninstall format clean help

all: configure
	@cmake --build $(BUILD)

.PHONY: configure
configure: setup
	@$(CONFIGURE) -B $(BUILD) -DCOR_JAVA=$(JAVA) -DCOR_FORTRAN=$(FORTRAN) -DCMAKE_INSTALL_PREFIX=$(PREFIX)

setup:
	@JAVA=$(JAVA) FORTRAN=$(FORTRAN) cmake/setup.sh build

# A plate of heat on four ranks, drawn, and compared with the answer of one.
demo: configure
	@cmake --build $(BUILD) --target demo
	$(BUILD)/bin/mpjrun -np $(RANKS) -cp $(BUILD)/examples Heat --png $(BUILD)/heat.png

# The quick tests: every subsystem, in minutes, without root or daemons. tests/README.md tells which tier to run when.
check:
	@JAVA=$(JAVA) cmake/setup.sh check
	@$(MAKE) --no-print-directory tests-quick
	@tests/run.sh quick $(BUILD)

tests-quick tests-all: configure
	@cmake --build $(BUILD) --target all $(subst -,_,$@)

# The tests of .ci/run beside the quick ones: every pair of values of tests/ways.def.
check-merge:
	@JAVA=$(JAVA) cmake/setup.sh merge
	@$(MAKE) --no-print-directory tests-all
	@tests/run.sh merge $(BUILD)

# Everything there is, for hours; an interrupted run goes on where it stopped. STAGES="tests asan" runs only these.
check-all:
	@tests/check_all.sh $(BUILD) $(STAGES)

# Programs that others wrote for MPJ Express, from Debian's packages, run on Corunna in its place.
check-apps: all
	@tests/apps/run.sh $(BUILD)

# Suites of others for their sockets, CPython's, libuv's and redis', plain and with fast sockets (tests/net/suites.sh).
check-sockets:
	@cmake/setup.sh sockets
	@$(MAKE) --no-print-directory all
	@tests/net/suites.sh $(BUILD)

# Real verbs, on the kernel's software RDMA drivers in a guest under QEMU (tests/rdma_vm); with RDMA=whole for hours.
check-rdma:
	@cmake/setup.sh rdma
	@$(MAKE) --no-print-directory tests-all
	@tests/rdma_vm/run.sh $(BUILD) $(RDMA)

# The build for the other kind of machine, and a sample of the tests under its emulator (tests/cross).
check-x86_64 check-aarch64: MACHINE = $(@:check-%=%)
check-x86_64 check-aarch64:
	@[ "$$(uname -m)" != $(MACHINE) ] || \
		{ echo "make $@: this machine is $(MACHINE) itself; make check tests it" >&2; exit 2; }
	@JAVA=OFF cmake/setup.sh cross
	@$(CONFIGURE) -B $(BUILD)-$(MACHINE) -DCOR_JAVA=OFF -DCMAKE_TOOLCHAIN_FILE=cmake/$(MACHINE)-linux-gnu.cmake
	@cmake --build $(BUILD)-$(MACHINE) --target check_sample

# The C tests under AddressSanitizer and UndefinedBehaviorSanitizer, then ThreadSanitizer, ranks as threads.
check-asan check-tsan: SANITIZER = $(if $(filter check-asan,$@),address,thread)
check-tsan: SANITIZED_BUT = -LE one_thread
check-asan check-tsan: setup
	@$(CONFIGURE) -B $(BUILD)-$(@:check-%=%) -DCOR_JAVA=OFF -DCOR_SANITIZE=$(SANITIZER)
	@cmake --build $(BUILD)-$(@:check-%=%) --target all $(if $(filter quick,$(TIER)),tests_quick,tests_all)
	@$(CTEST) --test-dir $(BUILD)-$(@:check-%=%) -R $(SANITIZED)

# Every fuzz target for its share of MINUTES, on all CPUs; what they find stays in $(BUILD)/tests/fuzz/found.
fuzz: tests-all
	@tests/fuzz/run.sh --all $(BUILD)/tests/fuzz $(MINUTES)

# clang-tidy with the checks of .clang-tidy on all C code; everything it says is in $(BUILD)/lint.log.
lint: tests-all
	@cmake/setup.sh lint
	@run-clang-tidy -quiet -p $(BUILD) -extra-arg=-I$(abspath $(BUILD))/include \
		'^$(CURDIR)/(src|tests|bench|examples|apps)/' > $(BUILD)/lint.log 2>&1 || \
		{ grep -A3 -E '(warning|error): ' $(BUILD)/lint.log; exit 1; }

# The C code is laid out as .clang-format says.
check-format:
	@cmake/setup.sh format
	@find $(FORMATTED) -name '*.[ch]' | xargs clang-format --dry-run -Werror
	@tests/layers/columns_test.sh .

# clang-tidy on the C files that have changed since BASE.
check-changed: check-format configure
	@cmake/setup.sh lint
	@files=$$(git diff --name-only --diff-filter=d $(BASE) -- $(FORMATTED) | grep '[.]c$$'); \
		echo "$$(echo $$files | wc -w) C files to lint"; \
		[ -z "$$files" ] || echo $$files | xargs -n 4 -P 2 clang-tidy --quiet -p $(BUILD) \
			--extra-arg=-I$(abspath $(BUILD))/include 2> /dev/null

# Corunna beside its peers, and whether the project's targets are met. Installs the peers. The machine should be idle.
bench:
	@cmake/setup.sh bench
	@$(MAKE) --no-print-directory all
	@$(BUILD)/bin/corunna bench --plan bench/plan.txt --targets bench/targets.txt --cpus 2 --java --threads \
		--rounds $(ROUNDS) --against openmpi,mpich,mpjexpress,mpjexpress-nio,socket,cacheline,hydra \
		--csv $(BUILD)/bench.csv > $(BUILD)/bench.txt; \
		status=$$?; cat $(BUILD)/bench.txt; exit $$status

# Applications on Corunna and its peers: tables and picture of docs/applications.md. The machine should be idle.
applications:
	@cmake/setup.sh bench
	@$(MAKE) --no-print-directory all
	@bench/applications.sh $(BUILD); status=$$?; \
		[ $$status -gt 1 ] || $(MAKE) --no-print-directory picture || status=1; exit $$status

# The pictures in README.md, docs/sockets.md and docs/applications.md, and the tables of the latter, from the last runs.
picture:
	@awk -f bench/picture_curves.awk -f bench/picture.awk bench/results/latest.csv > docs/pictures/pingpong.svg
	@[ ! -e bench/results/netpipe.csv ] || \
		awk -f bench/picture_curves.awk -f bench/sock/picture.awk bench/results/netpipe.csv > docs/pictures/sockets.svg
	@bench/applications_page.sh

# The pages that describe the Java API, in $(BUILD)/javadoc; a public member without a description is an error.
javadoc: all
	@cmake --build $(BUILD) --target javadoc

# corunna.jar with sources, pages and POM, in a local Maven repository; for both machines, given a cross compiler.
maven: all
	@cmake --build $(BUILD) --target maven
	@mkdir -p $(MAVEN_REPO)
	@cp -r $(BUILD)/maven/. $(MAVEN_REPO)
	@echo "corunna:corunna:$$(ls $(BUILD)/maven/corunna/corunna) is in $(MAVEN_REPO)"

# Debian packages, in $(BUILD)/deb.
deb:
	@cmake/setup.sh deb
	@packaging/deb.sh . $(BUILD)/deb

# The packages are the same wherever they are built; they can be installed, used and removed.
check-deb: deb
	@copy=$$(mktemp -d); packaging/deb.sh . $$copy/elsewhere > /dev/null; status=$$?; \
		for deb in $(BUILD)/deb/*.deb; do cmp $$deb $$copy/elsewhere/$$(basename $$deb) || status=1; done; \
		rm -rf $$copy; exit $$status
	@packaging/deb_test.sh $(BUILD)/deb .

install: all
	@cmake --install $(BUILD) --prefix $(PREFIX)

# The files of the last installation from $(BUILD), and the folders that are ours alone.
uninstall:
	@[ -s $(BUILD)/install_manifest.txt ] || { echo "make uninstall: nothing was installed from $(BUILD)" >&2; exit 2; }
	@sed 's|^|$(DESTDIR)|' $(BUILD)/install_manifest.txt | xargs -d '\n' rm -f
	@sed -n 's|^\(.*/corunna/.*\)/[^/]*$$|$(DESTDIR)\1|p; s|^\(.*/corunna\)/[^/]*$$|$(DESTDIR)\1|p' \
		$(BUILD)/install_manifest.txt | sort -ru | while read -r folder; do \
		while case $$folder in *corunna*) rmdir "$$folder" 2> /dev/null ;; *) false ;; esac; do \
		folder=$${folder%/*}; done; done

format:
	@cmake/setup.sh format
	@find $(FORMATTED) -name '*.[ch]' | xargs clang-format -i

clean:
	@rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-x86_64 $(BUILD)-aarch64

help:
	@echo "make demo         set up, build, run a parallel Java program on $(RANKS) ranks"
	@echo "make check        set up, build, run the quick tests"
	@echo "make check-all    every test, sanitizers, RDMA, cross build, fuzzing, packages; for hours, resumable"
	@echo "make check-merge  the tests that .ci/run runs beside the quick ones"
	@echo "make check-changed  layout of all C files, clang-tidy on those that have changed since BASE"
	@echo "make check-apps   real programs from Debian's packages, on Corunna in place of MPJ Express"
	@echo "make check-sockets  suites of CPython, libuv and redis with fast sockets: each test must end as it does plain"
	@echo "make check-rdma   the RDMA wire on Soft-RoCE and soft-iWARP, in a guest under QEMU; RDMA=whole: all cases"
	@echo "make check-x86_64 on aarch64: build for x86_64, and run a sample of tests by qemu (check-aarch64: the reverse)"
	@echo "make              set up, build"
	@echo "make deb          Debian packages in $(BUILD)/deb; make check-deb tries them"
	@echo "make maven        corunna.jar with sources, javadoc and POM, in MAVEN_REPO=$(MAVEN_REPO)"
	@echo "make install      PREFIX=$(PREFIX) DESTDIR=; make uninstall takes it back"
	@echo "make bench        Corunna beside Open MPI, MPICH and MPJ Express"
	@echo "make applications applications on Corunna and its peers: the tables and the picture of docs/applications.md"
	@echo "make picture      pictures and tables of the documentation, from bench/results"
	@echo "make check-asan   the C tests under the address and undefined-behaviour sanitizers; TIER=quick: the quick ones"
	@echo "make check-tsan   the C tests under the thread sanitizer"
	@echo "make fuzz         decoders and the engine's packets, fed with inventions for MINUTES=$(MINUTES)"
	@echo "make lint         clang-tidy on the C code"
	@echo "make javadoc      the pages that describe the Java API, in $(BUILD)/javadoc"
	@echo "make format       lay out the C code"
	@echo "make clean        remove what was built"
