#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Install, move the installation, and build and run a program with it through CMake, pkg-config, mpicc and Java.
set -eu
cmake=$1 build=$2 source=$3 has_java=$4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail()
{
    echo "FAILED: $*" >&2
    exit 1
}

# An absolute prefix under a staging folder, as packagers do, and then another place altogether.
DESTDIR=$work/stage "$cmake" --install "$build" --prefix /opt/corunna > "$work/log"
mkdir "$work/build"
cp "$build/install_manifest.txt" "$work/build"
mv "$work/stage/opt/corunna" "$work/moved"
prefix=$work/moved
for file in bin/corunna bin/mpirun bin/mpiexec bin/mpicc bin/mpicxx bin/mpjrun include/mpi.h \
    include/corunna/threads.h share/doc/corunna/LICENSE share/man/man1/corunna.1 \
    share/bash-completion/completions/corunna share/bash-completion/completions/mpirun \
    share/zsh/site-functions/_corunna; do
    [ -e "$prefix/$file" ] || fail "$file was not installed"
done
lib=$(dirname "$(find "$prefix" -name libmpi_abi.so.1 -not -path '*/corunna/abi/*')")
[ "$(readlink -f "$lib/corunna/abi/libmpi_abi.so.0")" = "$(readlink -f "$lib/libmpi_abi.so.1")" ] ||
    fail "the other names of libmpi_abi.so.1 do not lead to it"

# Pages: every link of README.md, of what it names and of the examples leads to something that is installed.
doc=$prefix/share/doc/corunna
[ "$("$prefix/bin/corunna" help | sed -n 's/^pages: *//p')" = "$doc/docs/index.md" ] ||
    fail "corunna help: $("$prefix/bin/corunna" help)"
"$prefix/bin/mpirun" --help | grep -q "are in $doc/docs/launching.md" ||
    fail "mpirun --help names no page that is there"
for page in "$doc"/*.md "$doc"/docs/*.md "$doc"/examples/*.md "$doc"/examples/*/*.md; do
    awk -f "$source/tests/docs/links.awk" "$page" | while read -r link; do
        file=${link%%#*}
        [ -z "$file" ] || [ -e "$(dirname "$page")/$file" ] || echo "$page: $link"
    done
done > "$work/dead"
[ "$(find "$doc" -name '*.md' | wc -l)" -gt 20 ] && [ ! -s "$work/dead" ] ||
    fail "links to what is not installed: $(cat "$work/dead")"
echo "pages: linked"

check_output()
{
    [ "$(wc -l < "$work/out")" -ge 2 ] || fail "$1: expected a line of each of 2 ranks, got: $(cat "$work/out")"
    echo "$1: works"
}

# Where pkg-config looks by itself, what is called Open MPI's is not hidden.
DESTDIR=$work/system "$cmake" --install "$build" --prefix /usr/local > "$work/log"
local=$work/system/usr/local
[ -z "$(find "$local" -path '*/corunna/*' -prune -o -name 'ompi*.pc' -print)" ] ||
    fail "$(find "$local" -name 'ompi*.pc') hide others"
for package in ompi-c ompi-cxx; do
    [ -e "$lib/pkgconfig/$package.pc" ] || fail "$package.pc was not installed"
    [ -e "$local/${lib#"$prefix/"}/corunna/pkgconfig/$package.pc" ] ||
        fail "$package.pc was not installed under /usr/local"
done
if command -v pkg-config > /dev/null; then
    # shellcheck disable=SC2046
    cc "$source/examples/hello.c" -o "$work/by_ompi_c" \
        $(PKG_CONFIG_PATH=$local/${lib#"$prefix/"}/corunna/pkgconfig pkg-config --cflags --libs ompi-c) ||
        fail "ompi-c.pc under /usr/local"
    timeout 600 "$work/by_ompi_c" | grep -q . || fail "a program by ompi-c.pc under /usr/local does not run"
fi
rm -r "$work/system"

# CMake
mkdir "$work/project"
cat > "$work/project/CMakeLists.txt" << 'END'
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(corunna 0.1 REQUIRED)
add_executable(user user.c)
target_link_libraries(user PRIVATE corunna::mpi)
END
cp "$source/examples/hello.c" "$work/project/user.c"
"$cmake" -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$prefix" > "$work/log" 2>&1 ||
    fail "find_package(corunna): $(cat "$work/log")"
"$cmake" --build "$work/project/build" > "$work/log" 2>&1 || fail "building with corunna::mpi: $(cat "$work/log")"
timeout 600 "$prefix/bin/corunna" run -n 2 "$work/project/build/user" > "$work/out"
check_output "CMake package"

# mpicc
"$prefix/bin/mpicc" "$source/examples/hello.c" -o "$work/hello" || fail "mpicc"
timeout 600 "$prefix/bin/mpirun" -np 2 "$work/hello" > "$work/out"
check_output "mpicc and mpirun"

# pkg-config, where there is one
if command -v pkg-config > /dev/null; then
    # shellcheck disable=SC2046
    cc "$source/examples/hello.c" -o "$work/hello" \
        $(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs corunna) || fail "pkg-config"
    timeout 600 "$prefix/bin/mpiexec" -n 2 "$work/hello" > "$work/out"
    check_output "pkg-config"
fi

# What corunna bench compiles comes with it.
timeout 600 "$prefix/bin/corunna" bench pingpong --sizes 8 --against socket,cacheline --dev tcpdev --rounds 1 --ms 1 \
    --quiet > "$work/out" 2>&1 || fail "corunna bench: $(cat "$work/out")"
grep -q "is left out" "$work/out" && fail "corunna bench: $(cat "$work/out")"
grep -q "bare socket" "$work/out" || fail "corunna bench has no bare socket: $(cat "$work/out")"
echo "bench: compiles its helpers"

# Java
if [ "$has_java" = 1 ]; then
    javac --release 11 -cp "$prefix/share/java/corunna.jar" -d "$work" "$source/examples/Hello.java"
    timeout 600 "$prefix/bin/mpjrun" -np 2 -cp "$work" Hello > "$work/out"
    check_output "mpjrun"
    timeout 600 java -jar "$prefix/share/java/corunna.jar" -np 2 -cp "$work" Hello > "$work/out"
    check_output "java -jar corunna.jar"
    "$prefix/bin/mpijavac" -d "$work" "$source/examples/Hello.java" || fail "mpijavac"
    timeout 600 "$prefix/bin/mpirun" -np 2 java -cp "$work" Hello > "$work/out"
    check_output "mpijavac and mpirun"
fi

# Nothing of it stays when it is taken back, but what others have put there.
touch "$prefix/bin/other"
mv "$prefix" "$work/stage/opt/corunna"
make -s -C "$source" uninstall BUILD="$work/build" DESTDIR="$work/stage" || fail "make uninstall"
[ "$(find "$work/stage" ! -type d)" = "$work/stage/opt/corunna/bin/other" ] ||
    fail "left behind: $(find "$work/stage" ! -type d)"
rm "$work/stage/opt/corunna/bin/other"
make -s -C "$source" uninstall BUILD="$work/build" DESTDIR="$work/stage" || fail "make uninstall, again"
[ -z "$(find "$work/stage/opt" -mindepth 1 2> /dev/null)" ] || fail "folders left behind: $(find "$work/stage")"
echo "make uninstall: leaves nothing"
