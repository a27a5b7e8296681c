#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# apps_test.sh CORUNNA: corunna apps lists and runs applications, passes their status on, tells wrong words.
corunna=$1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/apps_test.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tmp"
export TMPDIR="$scratch/tmp"
cd "$scratch" || exit 1
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    cat out err
}
expect_error() { # status, sentence, words
    wanted=$1 sentence=$2
    shift 2
    timeout 600 "$corunna" apps "$@" > out 2> err
    [ $? = "$wanted" ] || fail "apps $*: status"
    [ "$(head -n 1 err)" = "$sentence" ] || fail "apps $*: sentence"
}
expect_verified() { # pattern, words
    pattern=$1
    shift
    timeout 1200 "$corunna" apps run "$@" > out 2> err || fail "apps run $*: status"
    grep -q 'Verification    = *SUCCESSFUL' out || fail "apps run $*: not verified"
    grep -q -- "$pattern" out || fail "apps run $*: no $pattern"
}

"$corunna" apps list > out 2> err || fail "apps list: status"
for name in cg dt ep ft is mg sp bt lu fdtd nbody moldyn raytracer section1; do
    grep -q "^$name " out || fail "apps list: no $name"
done
"$corunna" apps run --help > out 2> err || fail "apps run --help: status"
grep -q -- '--class LETTER' out || fail "apps run --help"

expect_verified '(C) -- CG' cg --class S -n 4 --as c
expect_verified '(Java) -- CG' cg --class s -n 2
expect_verified 'Total processes = *4$' mg --class S -n 4 --as threads
expect_verified 'Graph: SH, 12 nodes' dt SH --as c
expect_verified 'Total processes = *2$' is --class S --as c --dev tcpdev

expect_verified '30 x 30 cells' fdtd -n 2 --as c -- --cells 30 --steps 10
expect_verified 'Galaxies (C) -- NBody' nbody -n 3 --as c -- --bodies 100 --steps 5

expect_error 2 'corunna apps: unknown verb "lst"; did you mean list?' lst
expect_error 2 'corunna apps run: which application? (`corunna apps list` names them)' run
expect_error 2 'corunna apps: unknown application "cgg"; did you mean cg?' run cgg
expect_error 2 'corunna apps: unknown library "openmp"; did you mean openmpi?' run cg --with openmp
expect_error 2 'corunna apps: unknown kind "thread"; did you mean threads?' run cg --as thread
expect_error 2 'corunna apps: openmpi does not run as java; it runs as: c' run cg --with openmpi --as java
expect_error 2 'corunna apps: there is no sor in C; it runs as java or threads' run sor --as c
expect_error 2 'corunna apps: --dev is a device of Corunna; mpich has none of that name' \
    run cg --with mpich --dev tcpdev
expect_error 1 'corunna apps: corunna: ranks that are threads have no device tcpdev' run cg --as threads --dev tcpdev
expect_error 1 "npb CG: class is 'X'; classes are S, W, A, B and C" run cg --class X --as c
expect_error 1 'npb CG: the number of ranks is 3; with class S it is a power of two up to 1024' \
    run cg --class S --as c -n 3
export OPENMPI_HOME=/nowhere MPJ_HOME=/nowhere
expect_error 1 \
    "corunna apps: openmpi: there is no /nowhere/bin/mpicc or no /nowhere/bin/mpirun; \
install them, or set OPENMPI_HOME to the library's folder" \
    run cg --with openmpi
expect_error 1 \
    'corunna apps: mpjexpress: there is no /nowhere/lib/mpj.jar; install MPJ Express, or set MPJ_HOME' \
    run cg --with mpjexpress
unset OPENMPI_HOME MPJ_HOME

# Other libraries, where they are.
if command -v mpicc.mpich > /dev/null && command -v mpiexec.hydra > /dev/null; then
    expect_verified '(C) -- IS' is --class S --with mpich
    expect_verified '(C) -- LU' lu --class S --with mpich
    expect_verified 'Galaxies (C) -- NBody' nbody --with mpich -- --bodies 100 --steps 5
fi
if [ -e /usr/share/mpj/lib/mpj.jar ]; then
    expect_verified '(Java) -- FT' ft --class S --with mpjexpress
    expect_verified '(Java) -- RayTracer' raytracer --with mpjexpress --as java
    expect_verified 'FDTD (Java)' fdtd --with mpjexpress -n 3 -- --cells 60 --steps 30
fi

# A matrix: figures are kept, and what is there is not measured again; what has failed is.
expect_error 2 'corunna apps matrix: unknown library "corunna"; did you mean corunna-c?' matrix --with corunna
expect_error 2 'corunna apps matrix: -n: "0" is not a number of ranks from 1 to 65536' matrix -n 0
expect_error 2 'corunna apps matrix: class is "X"; classes are S, W, A, B and C' matrix --class X
expect_error 1 "corunna apps matrix: no application has this class, \
takes these numbers of ranks and is written for these libraries" \
    matrix sp -n 3
echo 'name,value' > other.csv
expect_error 1 'corunna apps matrix: other.csv: line 1 is none of a matrix; --fresh begins a new file' \
    matrix cg --csv other.csv
small="matrix cg is sor --class S --rounds 2 --with corunna-c,corunna-threads"
# shellcheck disable=SC2086
"$corunna" apps $small -n 1,3 --csv m.csv > out 2> err || fail "apps matrix: status"
[ "$(grep -c ',yes$' m.csv)" = 8 ] && [ "$(wc -l < m.csv)" = 11 ] && grep -q '^# machine: .* CPUs$' m.csv &&
    grep -q '^# measured: 20[0-9-]*, Corunna ' m.csv || fail "apps matrix: m.csv: $(cat m.csv)"
grep -q '^8 of 8, about [0-9]* s left: ' err || fail "apps matrix: progress"
sed -i 's/^\(is,S,1,corunna-c,2,.*\),yes$/\1,no/' m.csv
# shellcheck disable=SC2086
"$corunna" apps $small -n 1,2 --csv m.csv --json m.json --html m.html > out 2> err ||
    fail "apps matrix, going on: status"
grep -q '^9 of 9' err && ! grep -q '1 ranks, corunna-threads' err || fail "apps matrix: what was measured again"
awk '/^cg, class S: Mop/ { inside = 1 }
    inside && $1 == 2 && NF == 4 && $2 > 0 && $3 > 0 && $4 > 0 { found = 1 }
    END { exit !found }' out ||
    fail "apps matrix: no row of cg on 2 ranks"
[ "$(grep -c '"verified": true' m.json)" = 16 ] || fail "apps matrix: m.json"
[ "$(grep -o 'data-curve' m.html | wc -l)" -ge 4 ] || fail "apps matrix: m.html"
"$corunna" apps $small -n 1 --csv none/m.csv > out 2> err && fail "apps matrix: a file that cannot be written"
grep -qx 'corunna apps matrix: none/m.csv: No such file or directory' err || fail "apps matrix: sentence of a file"

[ -z "$(ls -A tmp)" ] || fail "files are left: $(ls tmp)"
exit $((failures > 0))
