# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # what suites.sh sets
# How a suite of others is run plain and with fast sockets, and its results compared; sourced by suites.sh, which sets
# $corunna, $out, $work and $known.
#
# A part of a suite is a function run_SUITE PART RESULTS COMMAND...: it runs the part, started by the command's words,
# and writes a line for each test to RESULTS: its name, a tab and its result.

suites_tests=0 suites_differ=0

# The words that start a program plain or fast.
suites_words()
{
    if [ "$1" = fast ]; then echo "$corunna sock"; else echo env; fi
}

# suites_try SUITE PART NUMBER: the part both ways, once
suites_try()
{
    local way results
    for way in plain fast; do
        results=$out/$1.$2.$way.$3
        # shellcheck disable=SC2046 # words
        (cd "$work" && "run_$1" "$2" "$results.all" $(suites_words $way)) > "$results.log" 2>&1 < /dev/null
        sort -u "$results.all" > "$results" 2> /dev/null || : > "$results"
    done
}

# suites_compare SUITE PART: the tests of whose results in any run, plain and fast, none is the same, but for the known
# ones
suites_compare()
{
    awk -F '\t' -v part="$1 $2" -v known="$known" '
        BEGIN {
            while ((getline line < known) > 0)
                if (line ~ /^[^#]/) {
                    split(line, words, " ")
                    pattern[++patterns] = words[1] " " words[2] " " words[3]
                }
        }
        {
            way = FILENAME ~ /[.]plain[.][0-9]+$/ ? "plain" : "fast"
            seen[$1] = 1
            has[$1, way, $2] = 1
            said[$1, way] = said[$1, way] " " $2
            results[$2] = 1
        }
        function is_known(name, i) {
            for (i = 1; i <= patterns; i++)
                if (part " " name ~ "^" pattern[i] "$")
                    return 1
            return 0
        }
        END {
            for (name in seen) {
                same = 0
                for (one in results)
                    same += has[name, "plain", one] && has[name, "fast", one]
                if (!same && !is_known(name))
                    printf "  %s: plain%s, fast%s\n", name, said[name, "plain"] ? said[name, "plain"] : " nothing",
                        said[name, "fast"] ? said[name, "fast"] : " nothing"
            }
        }' "$out/$1.$2".plain.[0-9] "$out/$1.$2".fast.[0-9] | sort
}

# suites_part SUITE PART: runs it, again where there are differences, and tells
suites_part()
{
    local count number differences
    rm -f "$out/$1.$2".*
    for number in 1 2 3; do # a test that fails now and then is no difference
        suites_try "$1" "$2" $number
        differences=$(suites_compare "$1" "$2")
        [ -n "$differences" ] || break
    done
    count=$(wc -l < "$out/$1.$2.plain.1")
    if [ "$count" -eq 0 ]; then
        differences="  no result: $out/$1.$2.plain.1.log"
    fi
    suites_tests=$((suites_tests + count))
    if [ -n "$differences" ]; then
        suites_differ=$((suites_differ + $(echo "$differences" | wc -l)))
        printf '%-8s %-28s %5s tests, and these DIFFER:\n%s\n' "$1" "$2" "$count" "$differences"
    else
        printf '%-8s %-28s %5s tests, %s of them pass; as plain\n' "$1" "$2" "$count" \
            "$(cut -f 2 "$out/$1.$2.fast.1" | grep -c '^ok')"
    fi
}
