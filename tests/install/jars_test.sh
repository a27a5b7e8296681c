#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# jars_test.sh BUILD SOURCE VERSION MACHINES: the jars as Java people take them. corunna.jar is a module, has a version
# and carries the library of each machine; sources, pages and POM belong to it.
set -eu
build=$1 source=$2 version=$3 machines=$4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail()
{
    echo "FAILED: $*" >&2
    exit 1
}

# ---- manifests ----
for jar in corunna mpi mpj; do
    mkdir "$jar"
    (cd "$jar" && jar xf "$build/lib/$jar.jar" META-INF)
    for line in "Automatic-Module-Name: corunna" "Implementation-Version: $version"; do
        tr -d '\r' < "$jar/META-INF/MANIFEST.MF" | grep -qx "$line" ||
            fail "$jar.jar has no line '$line' in its manifest"
    done
done

# ---- natives: each for the machine that it is said to be for, by the number in its ELF header ----
(cd corunna && jar xf "$build/lib/corunna.jar" natives)
found=$(ls corunna/natives | sed 's/^linux-//' | sort | tr '\n' ' ')
[ "$found" = "$(echo "$machines" | tr ' ' '\n' | sort | tr '\n' ' ')" ] || fail "natives for $found, not for $machines"
for machine in $machines; do
    case $machine in
    x86_64) number=62 ;;
    aarch64) number=183 ;;
    *) continue ;;
    esac
    elf=$(od -An -tu1 -j18 -N1 "corunna/natives/linux-$machine/libcorunna.so" | tr -d ' ')
    [ "$elf" = "$number" ] || fail "the library for $machine is for the machine with number $elf"
done
echo "natives for $found"

# ---- a program that is a module itself ----
mkdir -p user/hello
sed '1i package hello;' "$source/examples/Hello.java" > user/hello/Hello.java
echo "module user { requires corunna; }" > user/module-info.java
javac --release 11 -p "$build/lib/corunna.jar" -d classes user/module-info.java user/hello/Hello.java || fail "javac -p"
timeout 600 "$build/bin/corunna" run -n 2 java -p "$build/lib/corunna.jar:classes" -m user/hello.Hello > out 2>&1 ||
    fail "java -m user/hello.Hello: $(cat out)"
[ "$(grep -c 'of 2' out)" = 2 ] || fail "as a module, Hello printed $(cat out)"

# ---- what goes to a Maven repository ----
name=$build/maven/corunna/corunna/$version/corunna-$version
cmp "$build/lib/corunna.jar" "$name.jar" || fail "another corunna.jar"
jar tf "$name-sources.jar" > sources
(cd "$source/java" && find mpi mpjbuf mpjdev corunna -name '*.java'
 cd "$build/java/table" && find mpi corunna -name '*.java') | sort > expected
grep '\.java$' sources | sort | cmp - expected || fail "the sources in corunna-sources.jar"
jar tf "$name-javadoc.jar" > pages
for page in index.html mpi/Comm.html mpi/MPI.html; do
    grep -qx "$page" pages || fail "no $page in corunna-javadoc.jar"
done
grep -q "<version>$version</version>" "$name.pom" || fail "the POM has another version: $(cat "$name.pom")"

# ---- the jar under the name that it has there ----
mkdir plain
javac --release 11 -cp "$name.jar" -d plain "$source/examples/Hello.java"
(cd plain && timeout 600 java -jar "$name.jar" -np 2 Hello) > out 2>&1 || fail "java -jar $name.jar: $(cat out)"
[ "$(grep -c 'of 2' out)" = 2 ] || fail "java -jar $name.jar printed $(cat out)"
