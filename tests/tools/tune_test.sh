#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tune_test.sh CORUNNA: corunna tune writes rules that are read by itself, goes on where it was stopped, tells wrong
# words.
. "$(dirname "$0")/tools_lib.sh"
export XDG_CONFIG_HOME="$scratch/config"
rules=$XDG_CONFIG_HOME/corunna/tuned.rules
few="barrier allreduce -n 2,3 --sizes 8,4k --minutes 15 --quiet"

expect_error tune '"bcst" is not a collective that can be tuned; did you mean bcast?' bcst
expect_error tune '"gatherv" is not a collective that can be tuned' gatherv
expect_error tune '"1" is not a number of ranks' bcast -n 1
expect_error tune 'multiples of 8 in rising order' bcast --sizes 1k,8
expect_error tune 'did you mean' bcast --minute 3
expect_error tune 'needs two hosts or more' bcast --hosts a
expect_error tune 'numbers of ranks (-n) and the file (-o) too' bcast --hosts a,b -n 2
expect_error tune '"tpc" is not a collective that can be tuned; did you mean tcp?' tpc

# Stopped before it is through: what was there stays, and the figures are kept.
mkdir -p "$XDG_CONFIG_HOME/corunna" && echo "# old" > "$rules"
# shellcheck disable=SC2086
"$corunna" tune $few > out 2> err &
tune=$!
has_figures() {
    [ "$(cat "$rules.measured" 2> /dev/null | wc -l)" -gt 8 ] || ! kill -0 $tune 2> /dev/null
}
wait_until has_figures
kill -INT $tune
wait $tune
[ $? = 130 ] || fail "interrupt: status"
grep -q "interrupted; $rules is as it was" err || fail "interrupt: $(cat err)"
[ "$(cat "$rules")" = "# old" ] || fail "an interrupt changed the rules"

# shellcheck disable=SC2086
timeout 1200 "$corunna" tune $few > out 2> err || fail "tune: status $?: $(cat err)"
grep -q "goes on with [1-9][0-9]* figures of $rules.measured" err || fail "it begins anew: $(cat err)"
grep -q "^rules: $rules" out || fail "no file is named: $(cat out)"
grep -q "^# machine: .* CPUs$" "$rules" || fail "the file does not name its machine"
grep -Ev '^(#|(barrier|allreduce) blocking .* one_node )' "$rules" && fail "strange rules"
for name in "" board doubling; do
    awk -F '\t' -v name="$name" '$2 ~ "^" name { found = 1 } END { exit !found }' "$rules.measured" ||
        fail "'$name' was not measured"
done

# Cut short anywhere, the file is left out with a word, and so is one that a user names.
[ "$(tail -n 1 "$rules")" = "# end" ] || fail "the file does not end: $(tail -n 1 "$rules")"
cp "$rules" whole
for bytes in 20 60 $(($(wc -c < whole) - 1)) $(($(wc -c < whole) - 6)); do
    head -c "$bytes" whole > "$rules"
    "$corunna" info > out 2> err
    grep -q "^tuned: $rules was cut short and is left out" out || fail "$bytes bytes of the file: $(grep tuned out)"
    "$corunna" run -n 2 "$corunna" info --coll barrier -n 2 > out 2> err || fail "$bytes bytes of the file: status"
    grep -q "^corunna run: $rules is left out: it was cut short" err || fail "$bytes bytes of the file: $(cat err)"
    CORUNNA_COLL_RULES=$rules "$corunna" info --coll barrier -n 2 > out 2> err
    grep -q "$rules was cut short" err || fail "$bytes bytes of a user's file: $(cat err)"
done
cp whole "$rules"

# Read by itself on this machine, whatever it has found; here a rule of our own.
echo "barrier ranks<=64 dissemination" >> "$rules"
"$corunna" info > out 2>&1
grep -q "^tuned: $rules: Written by corunna tune on 20" out || fail "info: $(grep tuned out)"
"$corunna" run -n 2 "$corunna" info --coll barrier -n 2 > out 2> err
grep -q "own [0-9]*: barrier ranks<=64 dissemination" out || fail "the rules are not read"
CORUNNA_COLL_RULES="" "$corunna" run -n 2 "$corunna" info --coll barrier -n 2 > out 2> err
grep -q "own [0-9]*:" out && fail "the rules are read although the user wants none"

# Settings: below whatever the user says of the same module, and marked.
printf 'set sm.eager_max=8k\nset sm.ring=512k\nset tcp.eager_max=64k\n' >> "$rules"
# setting NAME VALUE ORIGIN COMMAND...: `info`, as the command runs it, shows this.
setting() {
    name=$1 value=$2 origin=$3
    shift 3
    "$@" > out 2> err || fail "$*: $(cat err)"
    grep -q "^  $name  *$value  *($origin" out || fail "$*: $(grep "^  $name " out), not $value ($origin"
    ! grep -q "CORUNNA_TUNED" err || fail "$*: $(cat err)"
}
setting sm.eager_max 8k "tuned, default 16k" "$corunna" info
setting coll.rules ".*tuned.rules" "tuned" "$corunna" info
setting sm.eager_max 8k "tuned, default 16k" "$corunna" run -n 1 "$corunna" info
setting tcp.eager_max 64k "tuned" "$corunna" run -n 1 "$corunna" info
setting tcp.eager_max 64k "tuned" env CORUNNA_SM_SLOTS=64 "$corunna" run -n 1 "$corunna" info
setting sm.eager_max 16k "default" env CORUNNA_SM_SLOTS=64 "$corunna" run -n 1 "$corunna" info
setting sm.eager_max 4k "environment" "$corunna" run -n 1 --tune sm.eager_max=4k "$corunna" info
setting sm.ring 256k "default" "$corunna" run -n 1 --tune sm.eager_max=4k "$corunna" info
setting sm.ring 256k "default" env CORUNNA_COLL_RULES= "$corunna" run -n 1 "$corunna" info
setting sm.ring 256k "default" "$corunna" run -n 1 --tune coll.rules= "$corunna" info
echo "set sm.rnig=512k" >> "$rules"
"$corunna" run -n 1 "$corunna" info > out 2> err || fail "a wrong setting: status"
grep -q 'corunna run: .*tuned.rules is left out: unknown setting "sm.rnig"; did you mean sm.ring?' err ||
    fail "a wrong setting: $(cat err)"
grep -q "^  sm.ring  *256k  *(default" out || fail "a file with a wrong setting is used"
sed -i '/rnig/d' "$rules"

# Not those of another machine.
sed -i 's/^# machine: .*/# machine: abacus, 1 CPUs/' "$rules"
"$corunna" info > out 2>&1
grep -q "^tuned: $rules was made on another machine and is left out: abacus, 1 CPUs" out ||
    fail "another machine: $(grep tuned out)"
CORUNNA_LOG=info "$corunna" run -n 2 "$corunna" info --coll barrier -n 2 > out 2> err
grep -q "own [0-9]*:" out && fail "rules of another machine are read"
grep -q "left out: it was made on another machine (abacus, 1 CPUs)" err || fail "another machine is not told"

# Settings are measured, each answer beside the default, and come out as settings or not at all; the page is drawn.
timeout 1200 "$corunna" tune sm scatter -n 2 --sizes 16k --minutes 15 --quiet -o own --html own.html > out 2> err ||
    fail "tune sm: $(cat err)"
for answer in "" sm.eager_max=4k sm.ring=512k sm.single_copy=never; do
    grep -q "^2	sm $answer	pingpong	" own.measured || fail "'$answer' was not measured"
done
grep -q "^2	bcast	scatter	" own.measured || fail "scatter by bcast was not measured"
grep -Ev '^(#|set sm\.[a-z_]*=[0-9a-zA-Z]*$|scatter blocking .* one_node )' own && fail "strange lines"
grep -q "^sm: " out || fail "nothing is said of sm: $(cat out)"
# A setting has a chart; a rule for one size has a line of the table only.
grep -q "^#" own || fail "no rules are written"
if grep -q "^set " own; then
    grep -q "<svg" own.html || fail "the page does not draw the settings"
fi
if grep -q "^scatter " own; then
    grep -q "<td>scatter</td>" own.html || fail "the page does not show the rule"
fi
grep -q "^[^#]" own || grep -q "as good as any on this machine" own.html ||
    fail "the page does not say that nothing was found"

# What cannot be measured is told. Where the usual is bad enough, something better is found, as far as other programs
# let it.
CORUNNA_SM_RING=4k timeout 600 "$corunna" tune sm --sizes 1m --minutes 15 --quiet -o none > out 2> err
grep -q "^sm: was not measured: .*sm.chunk" out || fail "nothing is said of what fails: $(cat out)"
slow="CORUNNA_SM_SINGLE_COPY=never CORUNNA_SM_RING=8k CORUNNA_SM_CHUNK=1k CORUNNA_SM_EAGER_MAX=1k"
# shellcheck disable=SC2086
env $slow timeout 1200 "$corunna" tune sm --sizes 1m --minutes 15 --quiet -o found --html found.html > out 2> err ||
    fail "tune sm: $(cat err)"
if grep -q "^set sm.ring=" found; then
    grep -q "^sm: .*sm.ring=.* faster on the mean; us before > after" out &&
        grep -q "^pingpong  *2  *1 MiB .* > " out || fail "before and after: $(cat out)"
    [ "$(grep -o 'data-curve=' found.html | wc -l)" = 4 ] ||
        fail "the page has $(grep -o 'data-curve=' found.html | wc -l) curves"
else
    echo "a ring of 8 KiB is as good as any here and now: $(cat out)"
fi

[ -z "$(find "$scratch" -maxdepth 1 -name 'corunna-bench.*')" ] || fail "left behind"
finish
