#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# wrapper_options.sh BUILD CMAKE SOURCE: what scripts ask of mpicc and the others, as those of Open MPI and MPICH answer
# it; and what CMake's FindMPI asks, which is most.
set -u
build=$1 cmake=$2 source=$3
bin=$build/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset MPICC_CC OMPI_CC MPICH_CC MPICXX_CXX OMPI_CXX MPICH_CXX

fail()
{
    echo "FAILED: $1" >&2
    exit 1
}

prints() # expected, command...
{
    expected=$1
    shift
    got=$("$@" 2>&1)
    [ "$got" = "$expected" ] || fail "$*: \"$got\", not \"$expected\""
}

include=$("$bin/mpicc" --showme:incdirs) lib=$("$bin/mpicc" --showme:libdirs)
[ -f "$include/mpi.h" ] || fail "no mpi.h in $include"
[ -f "$lib/libmpi_abi.so" ] || fail "no library in $lib"
link="-L$lib -Wl,-rpath,$lib -lmpi_abi"
prints "-I$include" "$bin/mpicc" --showme:compile
prints "-I$include" "$bin/mpicc" -showme:compile
prints "$link" "$bin/mpicc" --showme:link
prints mpi_abi "$bin/mpicc" --showme:libs
prints cc "$bin/mpicc" --showme:command
prints "cc -I$include a.c -o a $link" "$bin/mpicc" --showme a.c -o a
prints "cc -I$include a.c -o a $link" "$bin/mpicc" a.c -o a -show
prints "cc -I$include -c a.c" "$bin/mpicc" -c a.c -show
prints "cc -I$include -c" "$bin/mpicc" -compile_info
prints "cc $link" "$bin/mpicc" -link_info
prints "gcc -I$include -c a.c" "$bin/mpicc" -cc=gcc -c a.c -show
prints "gcc -I$include -c a.c" env OMPI_CC=gcc "$bin/mpicc" -c a.c -show
prints "gcc -g -I$include -c a.c" env MPICH_CC="gcc -g" "$bin/mpicc" -c a.c -show
prints "cc -I$include -c a.c" env OMPI_CXX=g++ "$bin/mpicc" -c a.c -show
for wrapper in mpicxx mpic++ mpiCC; do
    prints "c++ -I$include -c a.cc" "$bin/$wrapper" -c a.cc -show
    prints "g++ -I$include -c a.cc" env OMPI_CXX=g++ "$bin/$wrapper" -c a.cc -show
    prints "g++ -I$include -c a.cc" "$bin/$wrapper" -cxx=g++ -c a.cc -show
done
case $("$bin/mpicc" --showme:version) in "mpicc: Corunna "[0-9]*) ;; *) fail "mpicc --showme:version" ;; esac
"$bin/mpicc" --showme:help | grep -q "OMPI_CC" || fail "mpicc --showme:help"
prints "mpicc: there is no --showme:lib; --showme:help tells what there is" "$bin/mpicc" --showme:lib
"$bin/mpicc" --showme:lib 2> /dev/null && fail "an unknown --showme ends with status 0"
prints "mpicc: there is no compiler none-there; -cc=NAME or one of MPICC_CC OMPI_CC MPICH_CC names another" \
    "$bin/mpicc" -cc=none-there -c a.c
# Without a file there is nothing to link.
"$bin/mpicc" -v > log 2>&1 && ! grep -q 'undefined' log || fail "mpicc -v: $(cat log)"
"$bin/mpicc" > log 2>&1 && fail "mpicc without a file ends with status 0"
grep -q 'no input files' log || fail "mpicc without a file: $(cat log)"
# With a Fortran compiler they do more (tests/fortran).
for wrapper in mpifort mpif77 mpif90; do
    [ -e "$build/lib/libmpifort_abi.so" ] && break
    prints "$wrapper: Corunna was built without a Fortran compiler; mpicc and mpicxx compile C and C++" \
        "$bin/$wrapper" -c a.f
    "$bin/$wrapper" a.f 2> /dev/null && fail "$wrapper ends with status 0"
done

# FindMPI, by each way that docs/installing.md names. It looks for mpiexec by MPI_HOME and PATH alone, whatever compiler
# it is told.
mkdir project
cat > project/CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.16)
project(user C CXX)
find_package(MPI REQUIRED COMPONENTS C CXX)
add_executable(user_c user.c)
target_link_libraries(user_c PRIVATE MPI::MPI_C)
add_executable(user_cxx user.cc)
target_link_libraries(user_cxx PRIVATE MPI::MPI_CXX)
file(WRITE ${CMAKE_BINARY_DIR}/found "${MPIEXEC_EXECUTABLE} ${MPI_C_VERSION}")
END
cp "$source/examples/hello.c" project/user.c
cp "$source/examples/hello.c" project/user.cc
version=$(sed -n 's/^#define MPI_VERSION *//p' "$include/mpi.h")
version=$version.$(sed -n 's/^#define MPI_SUBVERSION *//p' "$include/mpi.h")
finds() # variables and options
{
    rm -rf made
    env -u MPI_HOME -u CC -u CXX PATH=/usr/bin:/bin "$@" > log 2>&1 || fail "FindMPI with $*: $(cat log)"
    [ "$(cat made/found)" = "$bin/mpiexec $version" ] || fail "FindMPI with $* found $(cat made/found)"
    "$cmake" --build made > log 2>&1 || fail "building with $*: $(cat log)"
    for program in user_c user_cxx; do
        "$bin/mpiexec" -n 2 "made/$program" > out 2>&1 || fail "$program with $*: $(cat out)"
        [ "$(grep -c "of 2" out)" = 2 ] || fail "$program with $* printed $(cat out)"
    done
}
finds "$cmake" -S project -B made -DMPI_HOME="$build"
finds MPI_HOME="$build" CC="$bin/mpicc" CXX="$bin/mpicxx" "$cmake" -S project -B made
finds PATH="$bin:/usr/bin:/bin" "$cmake" -S project -B made -DMPI_C_COMPILER="$bin/mpicc"
finds PATH="$bin:/usr/bin:/bin" CC=mpicc CXX=mpicxx "$cmake" -S project -B made
echo "fine"
