#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run the tests of a tier in a build folder, and say at the end what was left out and why:
#
#     run.sh quick|merge|nightly BUILD [OPTION of ctest...]
#
# quick and merge send little volume (CORUNNA_TEST_SLOW); merge is what .ci/run runs beside quick. nightly runs every
# test, with all volume, but those that have passed already by the logs in BUILD/nightly.
set -u
tier=$1 build=$2
shift 2
ctest="ctest --test-dir $build --output-on-failure --no-tests=error -j8"
log=$(cd "$build" && pwd)/Testing/$tier.log
mkdir -p "$build/Testing"

# Numbers of the tests that have not passed yet, as ctest -I takes them: a range of one, then the others.
not_yet_passed()
{
    ctest --test-dir "$build" -N | awk -v earlier="$1" '
        BEGIN {
            while ((getline line < earlier) > 0)
                if (match(line, /#[0-9]+: .* Passed /)) {
                    split(substr(line, RSTART + 1), part, ":")
                    passed[part[1] + 0] = 1
                }
        }
        match($0, /^ *Test +#[0-9]+: /) {
            number = substr($0, RSTART, RLENGTH)
            gsub(/[^0-9]/, "", number)
            if (!(number + 0 in passed))
                list = list == "" ? number "," number ",1" : list "," number
        }
        END { print list }'
}

status=0
case $tier in
    quick | merge)
        CORUNNA_TEST_SLOW=1 $ctest -O "$log" -L "^$tier\$" "$@" || status=$?
        ;;
    nightly)
        # What an interrupted run has done counts, too.
        mkdir -p "$build/nightly"
        [ ! -e "$log" ] || cat "$log" >> "$build/nightly/ctest.log"
        rm -f "$log"
        touch "$build/nightly/ctest.log"
        numbers=$(not_yet_passed "$build/nightly/ctest.log")
        if [ -z "$numbers" ]; then
            echo "Every test has passed."
            exit 0
        fi
        $ctest -O "$log" -I "$numbers" "$@" || status=$?
        cat "$log" >> "$build/nightly/ctest.log"
        rm -f "$log"
        ;;
    *)
        echo "run.sh: the tier is quick, merge or nightly, not '$tier'" >&2
        exit 2
        ;;
esac

# Each test that is skipped, or a part of it, says why in a line; the same reason is told once.
last=$build/Testing/Temporary/LastTest.log
reasons=$(sed -n 's/^\(SKIPPED\|skipped\): *//p' "$last" | sort | uniq -c)
if [ -n "$reasons" ]; then
    echo
    echo "$(grep -cE '^(SKIPPED|skipped): ' "$last") tests, or parts of tests, were skipped:"
    echo "$reasons"
    echo "As root, with these packages, they run, too: make check-all installs what is missing."
fi
if [ "$tier" = quick ]; then
    all=$(ctest --test-dir "$build" -N | sed -n 's/^Total Tests: //p')
    quick=$(ctest --test-dir "$build" -N -L '^quick$' | sed -n 's/^Total Tests: //p')
    echo "These were the $quick quick tests of $all. make check-all runs all of them, for hours (tests/README.md)."
fi
exit $status
