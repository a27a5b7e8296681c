# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# For tests BUILD SCRIPT of a script that writes into the build folder: $dir, which goes with the test, and $dir/build,
# a build folder of its own.
build=$(cd "$1" && pwd)
# shellcheck disable=SC2034
script=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
mkdir "$dir/build"
ln -s "$build/bin" "$build/lib" "$build/libexec" "$dir/build/"
