#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tutorial_test.sh BUILD SOURCE: the commands of docs/tutorial.md for one machine, in their order and as they stand
# there, but with fewer slices of pi and shorter measurements.
set -u
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
ln -s "$source/examples" examples
export PATH="$build/bin:$PATH"

fail()
{
    echo "FAILED: $1" >&2
    exit 1
}

# The commands of a section: its blocks that name no language.
commands() # number of the section
{
    awk -v section="## $1." '
        /^## / { is_in = index($0, section) == 1 }
        /^```/ { is_block = !is_block; is_plain = $0 == "```"; next }
        is_in && is_block && is_plain' "$source/docs/tutorial.md" |
        sed -e 's/ 100000000$/ 100000/' -e 's/ 100000000 / 100000 /' -e 's/^corunna bench pingpong/& --ms 2 --rounds 1/'
}

{
    echo "set -e"
    for section in 2 3 5; do commands $section; done
} > commands
[ "$(grep -c '^mpirun' commands)" -ge 6 ] || fail "the tutorial has too few commands: $(cat commands)"
timeout 1200 sh commands > out 2>&1 || fail "the commands ended with $?: $(tail -n 20 out)"
[ "$(grep -c 'of 4' out)" = 12 ] || fail "three times four ranks did not greet: $(cat out)"
[ "$(grep -c '^pi is about 3.14159' out)" = 5 ] || fail "five jobs did not find pi: $(cat out)"
[ -s work/trace.json ] || fail "there is no timeline"

commands 4 > commands
grep '^mpirun' commands > mistake
timeout 600 sh mistake > out 2>&1
[ $? = 3 ] || fail "a rank that exits with 3 does not end the job with 3: $(cat out)"
grep -q "exited with status 3" out || fail "no sentence names the rank: $(cat out)"
timeout 600 corunna ps > out 2>&1 || fail "corunna ps: $(cat out)"
echo "fine"
