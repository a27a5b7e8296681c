#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Does mpi.h compile and link as C++, old and new? Skipped (77) where there is no C++ compiler.
#
#   header_cxx.sh SOURCE INCLUDE_FOLDER LIBRARY_FOLDER

source=$1 include=$2 lib=$3
command -v c++ > /dev/null || {
    echo "skipped: no C++ compiler"
    exit 77
}
program=$(mktemp) || exit 1
trap 'rm -f "$program"' EXIT
for standard in c++98 c++17; do
    c++ -std=$standard -pedantic -Wall -Wextra -Werror -I"$include" "$source" -L"$lib" -Wl,-rpath,"$lib" -lmpi_abi \
        -o "$program" || exit 1
    timeout 600 "$program" || exit 1
done
echo "header_cxx: passed"
