#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that were compiled and linked without Corunna, by the standard ABI alone: do they run with its library, by
# all names that other libraries give to theirs? And what is said where they cannot?
#
#   abi_stub.sh FOLDER_OF_FACTS LIBRARY_FOLDER LAUNCHER

facts=$1 lib=$2 corunna=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH LD_PRELOAD LD_RUN_PATH C_INCLUDE_PATH CPATH LIBRARY_PATH
# shellcheck source=tests/cface/abi_stub_lib.sh
. "$facts/abi_stub_lib.sh"
cases=0
ulimit -c 0 # the libraries without code end programs by a signal
fail()
{
    echo "FAILED: $*"
    exit 1
}

# passes RANKS COMMAND...: the command runs the program with so many ranks.
passes()
{
    passes_ranks=$1
    shift
    said=$(timeout 300 "$@" "$work/file" 2>&1) || fail "$* ends with $?: $said"
    [ "$said" = "$passes_ranks ranks passed with Corunna" ] || fail "$*: $said"
    [ ! -e "$work/file" ] || fail "$* leaves a file behind"
    cases=$((cases + 1))
}

# refuses SENTENCE COMMAND...: the command fails and says that.
refuses()
{
    refuses_text=$1
    shift
    said=$(timeout 300 "$@" "$work/file" 2>&1) && fail "$* ends well: $said"
    case $said in
        *"$refuses_text"*) ;;
        *) fail "$*: $said" ;;
    esac
    cases=$((cases + 1))
}

# program NAME LIBRARIES: link the program with stub libraries.
program()
{
    cc -o "$work/$1" "$work/program.o" -L"$work/stub" $2 || fail "linking $1"
    readelf -d "$work/$1" | grep -qE 'RPATH|RUNPATH' && fail "$1 has a path to a library"
    readelf -d "$work/$1" | sed -n 's/.*(NEEDED).*\[\(lib[p]*mpi.*\)\]/\1/p' | sort | tr '\n' ' '
}

# ---- a program without any header or library of ours ---------------------------------------------------------------
stub_header "$work/include" || fail "the header cannot be made"
for standard in c99 c11; do
    cc -c -std=$standard -O1 -Wall -Wextra -Werror -I"$work/include" -o "$work/program.o" "$facts/abi_program.c" ||
        fail "the program cannot be compiled as $standard"
done
cc -M -I"$work/include" "$facts/abi_program.c" | tr -s ' \\' '\n' | grep 'mpi\.h\|corunna' > "$work/headers"
[ "$(cat "$work/headers")" = "$work/include/mpi.h" ] || fail "the program includes $(cat "$work/headers")"
stub_library "$work/stub" mpi_abi libmpi_abi.so.1 MPI_ PMPI_ || fail "the library without code"
[ "$(program plain -lmpi_abi)" = "libmpi_abi.so.1 " ] || fail "the program needs $(program plain -lmpi_abi)"

refuses "" env LD_LIBRARY_PATH="$work/stub" "$work/plain"
passes 1 env LD_LIBRARY_PATH="$lib" "$work/plain"
for ranks in 1 2 3 4; do
    passes $ranks env LD_LIBRARY_PATH="$lib" "$corunna" run -n $ranks "$work/plain"
done
passes 2 "$corunna" run -n 2 -x LD_LIBRARY_PATH="$lib" "$work/plain"
refuses "does not find libmpi_abi.so.1; the option --abi provides it" "$corunna" run -n 2 "$work/plain"

# ---- the names that other libraries have ----------------------------------------------------------------------------
passes 3 "$corunna" run --abi -n 3 "$work/plain"
passes 2 env LD_LIBRARY_PATH="$work/stub" "$corunna" run --abi -n 2 "$work/plain"
passes 2 "$corunna" run --abi -n 2 --envnone -x LD_LIBRARY_PATH="$work/stub" "$work/plain"
passes 2 env CORUNNA_RUN_LAUNCHER="env AT={host}" "$corunna" run --abi --hosts a,b -n 2 "$work/plain"
# Open MPI's and MPICH's after 5.0.1 is 1, MPICH's before is 0, and has PMPI_ in a second library.
for version in 0 1; do
    stub_library "$work/stub" mpi_abi libmpi_abi.so.$version MPI_ || fail "libmpi_abi.so.$version"
    stub_library "$work/stub" pmpi_abi libpmpi_abi.so.$version PMPI_ || fail "libpmpi_abi.so.$version"
    [ "$(program apart$version '-lmpi_abi -lpmpi_abi')" = "libmpi_abi.so.$version libpmpi_abi.so.$version " ] ||
        fail "apart$version needs other libraries"
    passes 2 "$corunna" run --abi -n 2 "$work/apart$version"
    passes 2 env LD_LIBRARY_PATH="$lib/corunna/abi" "$corunna" run -n 2 "$work/apart$version"
    refuses "the option --abi provides it" "$corunna" run -n 2 "$work/apart$version"
done
said=$("$corunna" run --abi -n 1 sh -c "cat /proc/self/environ | tr '\\0' '\\n' | grep RUN_ABI; \
    echo \$LD_LIBRARY_PATH" 2>&1)
[ "$said" = "$(readlink -f "$lib/corunna/abi")" ] || fail "--abi leaves variables: $said"

# ---- what has another binary interface -------------------------------------------------------------------------------
# Whether the loader finds a library of the last two depends on what is installed.
for name in libmpi_abi.so.12 libmpi.so.20 libmpi.so.12 libmpi.so.40; do
    stub_library "$work/stub" mpi_abi $name MPI_ PMPI_ || fail "$name"
    program other -lmpi_abi > /dev/null
    refuses "corunna run: --abi: $work/other needs $name, " "$corunna" run --abi -n 2 "$work/other"
    refuses "Corunna's mpicc" "$corunna" run --abi -n 2 "$work/other"
    case $name in
        libmpi.so.[14]*) continue ;;
    esac
    refuses "(hint: the loader there does not find $name: it is " "$corunna" run -n 2 "$work/other"
done
other="--abi: ./other needs libmpi.so.40, Open MPI's own"
(cd "$work" && refuses "$other" "$corunna" run --abi -n 2 ./other) || exit 1
(cd / && refuses "$other" "$corunna" run --abi --wdir "$work" -n 1 ./other) || exit 1
refuses "--abi: the launcher of another MPI" "$corunna" run --abi --dev mpidev -n 2 "$work/plain"
echo "abi_stub: passed, $cases cases"
