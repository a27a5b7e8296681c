#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# maven_files_test.sh CMAKE BUILD MACHINES: writes the files for Maven. The build says which machines the jar serves,
# and how to have both where it is one.
cmake=$1 build=$2 machines=$3

said=$("$cmake" --build "$build" --target maven 2>&1) || {
    echo "FAILED: the target maven:"
    echo "$said"
    exit 1
}
case $machines in
*" "*) expected="^corunna.jar serves ${machines% *} and ${machines#* }\$" ;;
*) expected="^corunna.jar serves $machines only: \
(there is no cross compiler for .* \(Debian packages gcc-.*\)|the build is one)" ;;
esac
echo "$said" | grep -E -e "$expected" || {
    echo "FAILED: no line like '$expected' in:"
    echo "$said"
    exit 1
}
