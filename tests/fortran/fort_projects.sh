#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How projects find the Fortran interface: the compiler wrappers and their options, CMake's FindMPI, and pkg-config with
# an installation that has been moved.
#
#   fort_projects.sh build cmake compiler
set -u
build=$1
cmake=$2
compiler=$3
bin=$build/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail()
{
    echo "$*" >&2
    exit 1
}

prints() # what, command...
{
    right=$1
    shift
    found=$("$@" 2>&1)
    [ "$found" = "$right" ] || fail "$* prints '$found', not '$right'"
}

cat > user.f90 << 'END'
program user
  use mpi_f08
  implicit none
  integer :: rank, size
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  print '(a, i0, a, i0)', 'rank ', rank, ' of ', size
  call MPI_Finalize()
end program
END
cat > fixed.f << 'END'
      PROGRAM FIXED
      INCLUDE 'mpif.h'
      INTEGER RANK, SIZE, IERROR
      CALL MPI_INIT(IERROR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERROR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, SIZE, IERROR)
      PRINT *, 'rank', RANK, 'of', SIZE
      CALL MPI_FINALIZE(IERROR)
      END
END
runs() # program
{
    "$bin/mpiexec" -n 2 "$1" > out 2>&1 || fail "$1: $(cat out)"
    [ "$(grep -c 'of  *2' out)" = 2 ] || fail "$1 printed $(cat out)"
}

# Programs that keep to a standard of Fortran.
for standard in f2008 f2018; do
    "$bin/mpifort" -std=$standard -pedantic-errors -c user.f90 -o standard.o > out 2>&1 ||
        fail "$standard: $(head -n 5 out)"
done

# Default integers of other sizes are refused.
"$bin/mpif77" -fdefault-integer-8 -c fixed.f -o wide.o > out 2>&1 && fail "mpif.h takes integers of 8 bytes"
grep -q mpif.h out || fail "integers of 8 bytes: $(cat out)"
"$bin/mpif90" -fdefault-integer-8 -c user.f90 -o wide.o > out 2>&1 && fail "mpi_f08 takes integers of 8 bytes"
"$bin/mpif77" -fdefault-real-8 -fdefault-double-8 -c fixed.f -o wide.o || fail "mpif.h refuses reals of 8 bytes"

# The wrappers.
modules=$(echo "$build"/lib/corunna/*/mpi_f08.mod)
modules=${modules%/mpi_f08.mod}
flags="-I$build/include -I$modules"
link="-L$build/lib -Wl,-rpath,$build/lib -lmpifort_abi -lmpi_abi"
for wrapper in mpifort mpif90 mpif77; do
    prints "$flags" "$bin/$wrapper" --showme:compile
    prints "$link" "$bin/$wrapper" --showme:link
    prints "$build/include $modules" "$bin/$wrapper" --showme:incdirs
    prints "mpifort_abi mpi_abi" "$bin/$wrapper" --showme:libs
    prints "other $flags a.f90 $link" env OMPI_FC=other "$bin/$wrapper" -show a.f90
    "$bin/$wrapper" user.f90 -o user || fail "$wrapper user.f90"
    runs ./user
    "$bin/$wrapper" fixed.f -o fixed || fail "$wrapper fixed.f"
    runs ./fixed
done
prints "other $flags -c a.f90" "$bin/mpifort" -fc=other -c a.f90 -show

# CMake.
mkdir project
cp user.f90 fixed.f project
cat > project/CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.16)
project(user Fortran)
find_package(MPI REQUIRED COMPONENTS Fortran)
add_executable(user user.f90)
target_link_libraries(user PRIVATE MPI::MPI_Fortran)
add_executable(fixed fixed.f)
target_link_libraries(fixed PRIVATE MPI::MPI_Fortran)
file(WRITE ${CMAKE_BINARY_DIR}/found
     "${MPI_Fortran_HAVE_F77_HEADER} ${MPI_Fortran_HAVE_F90_MODULE} ${MPI_Fortran_HAVE_F08_MODULE} "
     "${MPI_Fortran_VERSION}")
END
version=$(sed -n 's/^#define MPI_VERSION *//p' "$build/include/mpi.h")
version=$version.$(sed -n 's/^#define MPI_SUBVERSION *//p' "$build/include/mpi.h")
env -u FC PATH="$bin:/usr/bin:/bin" "$cmake" -S project -B made -DCMAKE_Fortran_COMPILER="$compiler" > log 2>&1 ||
    fail "FindMPI: $(cat log)"
[ "$(cat made/found)" = "TRUE TRUE TRUE $version" ] || fail "FindMPI found $(cat made/found)"
"$cmake" --build made > log 2>&1 || fail "building with CMake: $(cat log)"
runs made/user
runs made/fixed

# Installed, moved, and found by pkg-config.
command -v pkg-config > /dev/null || {
    echo "fine, but without pkg-config"
    exit 0
}
for part in mpi fortran; do
    DESTDIR=$work/root "$cmake" -P "$build/src/$part/cmake_install.cmake" > log 2>&1 || fail "installing: $(cat log)"
done
pc=$(find root -name mpifort.pc)
[ -n "$pc" ] || fail "mpifort.pc is not installed"
mv "${pc%/lib*/pkgconfig/mpifort.pc}" moved
folder=$(dirname "$(find "$work/moved" -name mpifort.pc)")
libs=$(PKG_CONFIG_PATH=$folder pkg-config --cflags --libs mpifort) || fail "pkg-config"
# shellcheck disable=SC2086
"$compiler" user.f90 $libs -Wl,-rpath,"${folder%/pkgconfig}" -o packaged || fail "compiling with '$libs'"
runs ./packaged
[ -n "$(find moved -name ompi-fort.pc)" ] || fail "ompi-fort.pc is not installed"
moved/bin/mpifort user.f90 -o elsewhere || fail "mpifort elsewhere"
runs ./elsewhere
echo "fine"
