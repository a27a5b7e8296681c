#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Install what is missing: setup.sh PURPOSE, where PURPOSE is build, check, merge, all, rdma, sockets, cross, bench,
# deb, format or lint. Says nothing when nothing is missing; asks for no JDK if JAVA=OFF, for no Fortran compiler if
# FORTRAN=OFF. As root, or with sudo, it installs Debian packages; otherwise it prints the one line to run and fails.
set -eu

# What each purpose needs: how to see that it is there, and the Debian package that brings it.
needs()
{
    echo "command make make"
    echo "command cmake cmake"
    echo "command ninja ninja-build"
    echo "command cc gcc"
    echo "header stdio.h libc6-dev"
    [ "${JAVA:-ON}" = OFF ] || echo "java javac default-jdk-headless"
    case $1 in
        build | sockets) ;;
        rdma)
            echo "header rdma/rdma_cma.h librdmacm-dev"
            echo "header infiniband/verbs.h libibverbs-dev"
            ;;
        cross) # the other kind of machine: its compiler, C library and emulator, which take 530 MB
            case $(uname -m) in
                aarch64) cross x86_64 x86-64 amd64 ;;
                x86_64) cross aarch64 aarch64 arm64 ;;
                *)
                    echo "setup.sh: cross builds are for aarch64 and x86_64, and this machine is $(uname -m)" >&2
                    exit 2
                    ;;
            esac
            ;;
        check | merge | all)
            echo "command c++ g++"
            echo "command mpiexec.hydra mpich"
            echo "mpi mpicc.mpich libmpich-dev" # whose programs must run under our launcher
            echo "mpi mpicc.openmpi libopenmpi-dev" # which mpidev sends through, as through MPICH
            echo "header ucp/api/ucp.h libucx-dev" # which ucxdev sends through
            echo "header rdma/fi_rma.h libfabric-dev" # and ofidev
            echo "header hwloc.h libhwloc-dev" # by which ranks are bound
            echo "command ip iproute2" # hosts of tests are network namespaces
            echo "command mpirun.openmpi openmpi-bin" # which starts our ranks by PMIx
            echo "header rdma/rdma_cma.h librdmacm-dev" # for the verbs wire, which is built where it is there
            echo "header infiniband/verbs.h libibverbs-dev"
            [ "$1" != all ] || echo "command clang clang"
            [ "$1" != all ] || echo "fuzzer clang libclang-rt-dev" # libFuzzer and its sanitizers
            echo "jar junit-platform-console-standalone junit5" # Java tests that need no ranks
            ;;
        bench)
            echo "command mpiexec.hydra mpich"
            echo "mpi mpicc.mpich libmpich-dev"
            echo "command mpirun.openmpi openmpi-bin"
            echo "mpi mpicc.openmpi libopenmpi-dev"
            ;;
        deb)
            echo "command dpkg-buildpackage dpkg-dev"
            echo "command dh debhelper"
            echo "command lintian lintian"
            echo "command gfortran gfortran"
            echo "header ucp/api/ucp.h libucx-dev"
            echo "header rdma/fi_rma.h libfabric-dev"
            echo "header rdma/rdma_cma.h librdmacm-dev"
            echo "header infiniband/verbs.h libibverbs-dev"
            ;;
        format) echo "command clang-format clang-format" ;;
        lint) echo "command run-clang-tidy clang-tidy" ;;
        *)
            echo "setup.sh: unknown purpose '$1'" >&2
            echo "known: build check merge all rdma sockets cross bench deb format lint" >&2
            exit 2
            ;;
    esac
}

cross() # machine, its name in packages of compilers and in those of libraries
{
    echo "command $1-linux-gnu-gcc gcc-$2-linux-gnu"
    echo "file /usr/$1-linux-gnu/include/stdio.h libc6-dev-$3-cross"
    echo "command qemu-$1-static qemu-user-static"
}

# What the build and tests can do without: they are skipped where it cannot be installed. Daemons must not be
# started on somebody's own machine by the way, and an emulator or a browser is large: only `make check-all` asks
# for an sshd, a Slurm, servers that run with fast sockets and a browser.
wishes()
{
    plugins=/usr/share/maven-repo/org/apache/maven/plugins
    case $1 in
        build) [ "${FORTRAN:-ON}" = OFF ] || echo "command gfortran gfortran" ;;
        merge)
            echo "command zsh zsh" # which reads our completion
            echo "command meson meson" # which must find us beside another MPI
            ;;
        all)
            wishes merge
            echo "file /usr/sbin/sshd openssh-server"
            echo "file /usr/sbin/slurmctld slurm-wlm"
            echo "command chromium chromium" # pages with charts are looked at in it
            echo "command nginx nginx-light" # real programs that run with fast sockets
            echo "command wrk wrk"
            echo "command bindfs bindfs" # a file system that is a program
            echo "postgres pgbench postgresql"
            echo "jar h2 libh2-java" # servers in Java, and drivers
            echo "jar hsqldb libhsqldb-java"
            echo "jar derbynet libderby-java"
            echo "jar derbyclient libderbyclient-java"
            echo "jar postgresql libpostgresql-jdbc-java"
            wishes bench # applications run with MPJ Express too
            echo "command mvn maven" # builds a program from the jars; with the plugins below 80 MB
            for plugin in resources compiler jar; do
                echo "file $plugins/maven-$plugin-plugin libmaven-$plugin-plugin-java"
            done
            echo "file $plugins/maven-surefire-plugin libsurefire-java"
            wishes sockets
            wishes rdma
            ;;
        sockets) # whose own tests run with fast sockets
            python=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2> /dev/null) || python=3
            echo "python test.test_socket libpython$python-testsuite"
            echo "command redis-server redis-server"
            echo "command redis-benchmark redis-tools"
            echo "command tclsh tcl"
            ;;
        bench) echo "file /usr/share/mpj/lib/starter.jar libmpj-java" ;;
        rdma)
            case $(uname -m) in
                aarch64) echo "command qemu-system-aarch64 qemu-system-arm" ;;
                x86_64) echo "command qemu-system-x86_64 qemu-system-x86" ;;
            esac
            echo "file /bin/busybox busybox-static"
            echo "command cpio cpio"
            echo "file /sbin/modprobe kmod"
            echo "command xz xz-utils"
            echo "command rdma iproute2"
            echo "command ibv_rc_pingpong ibverbs-utils"
            echo "command rping rdmacm-utils"
            echo "file /usr/share/doc/ibverbs-providers/copyright ibverbs-providers" # the drivers of libibverbs
            ;;
    esac
}

is_there()
{
    case $1 in
        command) command -v "$2" > /dev/null 2>&1 ;;
        file) [ -r "$2" ] ;;
        postgres) command -v "$2" > /dev/null 2>&1 && ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 ;;
        python) /usr/bin/python3 -c "import $2" > /dev/null 2>&1 ;;
        jar) [ -r "/usr/share/java/$2.jar" ] ;;
        header) command -v cc > /dev/null 2>&1 && echo "#include <$2>" | cc -E - > /dev/null 2>&1 ;;
        # From a file: Open MPI's compiler adds its folders for files only.
        mpi) command -v "$2" > /dev/null 2>&1 && "$2" -E -include mpi.h -x c /dev/null > /dev/null 2>&1 ;;
        fuzzer)
            command -v "$2" > /dev/null 2>&1 &&
                echo "int LLVMFuzzerTestOneInput(const char *data, long size) { return data && size < 0; }" |
                "$2" -x c - -fsanitize=fuzzer,address -o /dev/null > /dev/null 2>&1
            ;;
        java) command -v "$2" > /dev/null 2>&1 || [ -x "${JAVA_HOME:-/nowhere}/bin/$2" ] ;;
    esac
}

needs "$1" > /dev/null # tells a wrong purpose before anything else
packages()
{
    while read -r kind what package; do
        is_there "$kind" "$what" || printf ' %s' "$package"
    done
}

missing=$(needs "$1" | packages)
wished=$(wishes "$1" | packages)
[ -n "$missing$wished" ] || exit 0

install="apt-get install -y --no-install-recommends"
if ! command -v apt-get > /dev/null 2>&1; then
    [ -n "$missing" ] || exit 0
    echo "setup: these Debian packages, or what they stand for on this system, are missing:$missing" >&2
    exit 1
elif [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo > /dev/null 2>&1 && sudo -n true > /dev/null 2>&1; then
    as_root="sudo"
else
    [ -n "$missing" ] || exit 0
    echo "setup: packages are missing, and only root can install them. Run:" >&2
    echo "    sudo $install$missing" >&2
    exit 1
fi

# The lists may be empty or stale: try with what is there, then with fresh ones.
install_all()
{
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive $install $1 > /dev/null 2>&1 && return 0
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q > /dev/null || {
        echo "setup: apt-get update failed" >&2
        return 1
    }
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive $install $1 > /dev/null
}

if [ -n "$missing" ]; then
    echo "setup: installing$missing"
    install_all "$missing" || {
        echo "setup: could not install:$missing" >&2
        exit 1
    }
fi
for package in $wished; do
    echo "setup: installing $package"
    install_all "$package" || echo "setup: could not install $package: what needs it is left out" >&2
done
