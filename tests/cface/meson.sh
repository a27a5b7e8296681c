#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# meson.sh INSTALL_SCRIPT: does Meson take the MPI that it is told of, beside another one that is installed as part of
# the system? Skipped (77) where there is no Meson.
set -u
for tool in meson ninja pkg-config c++; do
    command -v $tool > /dev/null || {
        echo "skipped: there is no $tool"
        exit 77
    }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset LD_LIBRARY_PATH PKG_CONFIG_PATH PKG_CONFIG_LIBDIR CC CXX MPICC MPICXX CFLAGS LDFLAGS

fail()
{
    echo "FAILED: $*" >&2
    exit 1
}

cmake -DCMAKE_INSTALL_PREFIX="$work/prefix" -P "$1" > log 2>&1 || fail "installing: $(cat log)"
prefix=$work/prefix
packages=$(dirname "$(find "$prefix" -name mpi.pc)")

# The other one: where nothing else is said Meson takes it, and it cannot be linked.
mkdir -p project system bin
for name in ompi-c ompi-cxx mpi; do
    printf 'Name: %s\nDescription: another MPI\nVersion: 9.9.9\nLibs: -lother-mpi\n' $name > system/$name.pc
done
for name in mpicc mpicxx mpic++; do
    printf '#!/bin/sh\necho "-lother-mpi 9.9.9"\n' > bin/$name
    chmod +x bin/$name
done

cat > project/program.c << 'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Init(&argc, &argv);
    MPI_Get_library_version(version, &length);
    puts(version);
    MPI_Finalize();
    return 0;
}
END
cp project/program.c project/program.cc

# takes WHAT OPTIONS VARIABLES...: Meson's dependency('mpi', OPTIONS) under these variables is ours, in C and C++, and
# runs.
takes()
{
    what=$1 options=$2
    shift 2
    cat > project/meson.build << END
project('user', 'c', 'cpp')
executable('in_c', 'program.c', dependencies: dependency('mpi', language: 'c'$options))
executable('in_cxx', 'program.cc', dependencies: dependency('mpi', language: 'cpp'$options))
END
    rm -rf made
    env PATH="$work/bin:$PATH" PKG_CONFIG_LIBDIR="$work/system" "$@" meson setup made project > log 2>&1 ||
        fail "$what: $(cat log)"
    ninja -C made > log 2>&1 || fail "$what: $(cat log)"
    for program in in_c in_cxx; do
        timeout 600 "made/$program" > out 2>&1 || fail "$what: $program: $(cat out)"
        grep -q '^Corunna' out || fail "$what: $program runs with $(cat out)"
    done
    echo "$what: works"
}

# Some versions of Meson ask for packages first, others for tools, and of several tools they take the one of the highest
# version. So both are said; docs/installing.md says the same.
takes "PATH and PKG_CONFIG_PATH" "" PATH="$prefix/bin:$work/bin:$PATH" PKG_CONFIG_PATH="$packages"
takes "and MPICC, MPICXX" "" PATH="$prefix/bin:$work/bin:$PATH" PKG_CONFIG_PATH="$packages" MPICC="$prefix/bin/mpicc" \
    MPICXX="$prefix/bin/mpicxx"
takes "PATH, by the tools" ", method: 'config-tool'" PATH="$prefix/bin:$work/bin:$PATH"
rm system/*
takes "PATH, no other MPI among the packages" "" PATH="$prefix/bin:$work/bin:$PATH"
