#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mpicc, mpicxx and mpi.pc, in the build tree and installed, also after the installation was moved.
#
#   wrappers.sh BIN_FOLDER INSTALL_SCRIPT SOURCE_FOLDER

bin=$1 install_script=$2 source=$3
failures=0
fail() {
    echo "$*"
    failures=$((failures + 1))
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cat > "$work/hello.c" << 'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Finalize();
    return size != 1;
}
END

# try MPICC: compile at once, in two steps, with a space in a name, and show.
try() {
    "$1" -O1 "$work/hello.c" -o "$work/at once" || fail "$1 does not compile"
    timeout 600 "$work/at once" || fail "a program of $1 does not run"
    "$1" -c "$work/hello.c" -o "$work/hello.o" && "$1" "$work/hello.o" -o "$work/hello" || fail "$1: not in two steps"
    timeout 600 "$work/hello" || fail "a program of $1 in two steps does not run"
    case $("$1" -show x.c) in
    *-I*x.c*-lmpi_abi) ;;
    *) fail "$1 -show says $("$1" -show x.c)" ;;
    esac
    [ "$("$1" -show x.c)" = "$("$1" -showme x.c)" ] || fail "$1: -showme is not -show"
    case $("$1" -c -show x.c) in
    *-lmpi_abi*) fail "$1 -c links" ;;
    esac
    case "$("$1" -showme:compile) $("$1" -showme:link)" in
    -I*-L*-lmpi_abi) ;;
    *) fail "$1 -showme:compile and -showme:link say something else" ;;
    esac
    case $("$1" -cc=tcc-42 -show) in
    tcc-42*) ;;
    *) fail "$1 -cc= does not choose the compiler" ;;
    esac
}

try "$bin/mpicc"
cmake -DCMAKE_INSTALL_PREFIX="$work/first" -P "$install_script" > "$work/install.log" 2>&1 || cat "$work/install.log"
mkdir "$work/second" && mv "$work/first" "$work/second/moved"
mpicc=$(find "$work/second" -name mpicc)
[ -n "$mpicc" ] || fail "mpicc was not installed"
try "$mpicc"
case $("$mpicc" -show) in
*"$source"*) fail "the installed mpicc points to the source" ;;
esac
[ -n "$(find "$work/second" -name libmpi_abi.so.0)" ] || fail "libmpi_abi.so.0 was not installed"

if command -v c++ > /dev/null; then
    cp "$work/hello.c" "$work/hello.cc"
    "$bin/mpicxx" "$work/hello.cc" -o "$work/hello++" && timeout 600 "$work/hello++" || fail "mpicxx does not work"
else
    echo "no C++ compiler: mpicxx not tried"
fi
if command -v pkg-config > /dev/null; then
    PKG_CONFIG_PATH=$(dirname "$(find "$work/second" -name mpi.pc)")
    export PKG_CONFIG_PATH
    # As a build system uses it: nothing else says where the library is, neither to the linker nor at the start.
    for package in mpi ompi-c ompi-cxx; do
        cc "$work/hello.c" $(pkg-config --cflags --libs $package) -o "$work/hello-pc" &&
            env -u LD_LIBRARY_PATH timeout 600 "$work/hello-pc" || fail "$package.pc does not work"
    done
    case $(pkg-config --libs mpi) in
    *"$source"*) fail "the installed mpi.pc points to the source" ;;
    esac
else
    echo "no pkg-config: mpi.pc not tried"
fi

[ "$failures" -eq 0 ] && echo "wrappers: passed"
exit "$failures"
