#!/bin/sh
# Methods that a just-in-time compiler shall not compile into their callers are too large for it: inline_test.sh JAVAP JAR.
# See mpi.Stage. Of methods that are called often HotSpot leaves out those of more than 325 bytecodes (FreqInlineSize).
javap=$1 jar=$2
command -v "$javap" > /dev/null || {
    echo "SKIPPED: there is no javap"
    exit 77
}
failures=0

# expect_large CLASS METHOD
expect_large() {
    size=$("$javap" -p -c -cp "$jar" "$1" | awk -v method=" $2(" '
        /^  [^ ].*\(.*;$/ { is_it = index($0, method) > 0 }
        is_it && $1 ~ /^[0-9]+:$/ { last = $1 + 1 }
        END { print last + 0 }')
    if [ "$size" -le 325 ]; then
        echo "FAILED: $1.$2 has $size bytecodes, more than 325 are wanted"
        failures=$((failures + 1))
    fi
}

expect_large mpi.Stage put
expect_large mpi.Stage get
[ $failures -eq 0 ] && echo "all are large enough"
exit $failures
