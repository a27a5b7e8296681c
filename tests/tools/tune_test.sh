#!/bin/sh
# tune_test.sh CORUNNA: corunna tune writes rules that are read by itself, goes on where it was stopped, tells wrong words.
corunna=$1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/tune_test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export TMPDIR="$scratch" XDG_CONFIG_HOME="$scratch/config"
unset CORUNNA_COLL_RULES
cd "$scratch" || exit 1
rules=$XDG_CONFIG_HOME/corunna/tuned.rules
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}
expect_error() {
    sentence=$1
    shift
    timeout 60 "$corunna" tune "$@" > out 2> err
    [ $? = 2 ] || fail "tune $*: status"
    grep -q -- "$sentence" err || fail "tune $*: $(cat err)"
}
few="barrier allreduce -n 2,3 --sizes 8,4k --minutes 5 --quiet"

expect_error '"bcst" is not a collective that can be tuned; did you mean bcast?' bcst
expect_error '"gatherv" is not a collective that can be tuned' gatherv
expect_error '"1" is not a number of ranks' bcast -n 1
expect_error 'multiples of 8 in rising order' bcast --sizes 1k,8
expect_error 'did you mean' bcast --minute 3

# Stopped before it is through: what was there stays, and the figures are kept.
mkdir -p "$XDG_CONFIG_HOME/corunna" && echo "# old" > "$rules"
# shellcheck disable=SC2086
"$corunna" tune $few > out 2> err &
tune=$!
while ! [ "$(wc -l < "$rules.measured" 2> /dev/null || echo 0)" -gt 8 ]; do
    kill -0 $tune 2> /dev/null || break
    sleep 0.1
done
kill -INT $tune
wait $tune
[ $? = 130 ] || fail "interrupt: status"
grep -q "interrupted; $rules is as it was" err || fail "interrupt: $(cat err)"
[ "$(cat "$rules")" = "# old" ] || fail "an interrupt changed the rules"

# shellcheck disable=SC2086
timeout 280 "$corunna" tune $few > out 2> err || fail "tune: status $?: $(cat err)"
grep -q "goes on with [1-9][0-9]* figures of $rules.measured" err || fail "it begins anew: $(cat err)"
grep -q "^rules: $rules" out || fail "no file is named: $(cat out)"
grep -q "^# machine: .* CPUs$" "$rules" || fail "the file does not name its machine"
grep -Ev '^(#|(barrier|allreduce) blocking one_node )' "$rules" && fail "strange rules"
for name in "" board doubling; do
    awk -F '\t' -v name="$name" '$2 ~ "^" name { found = 1 } END { exit !found }' "$rules.measured" || fail "'$name' was not measured"
done

# Read by itself on this machine, whatever it has found; here a rule of our own.
echo "barrier ranks<=64 dissemination" >> "$rules"
"$corunna" info > out 2>&1
grep -q "^tuned: $rules: Written by corunna tune on 20" out || fail "info: $(grep tuned out)"
"$corunna" run -n 2 "$corunna" info --coll barrier -n 2 > out 2> err
grep -q "own [0-9]*: barrier ranks<=64 dissemination" out || fail "the rules are not read"
CORUNNA_COLL_RULES="" "$corunna" run -n 2 "$corunna" info --coll barrier -n 2 > out 2> err
grep -q "own [0-9]*:" out && fail "the rules are read although the user wants none"

# Not those of another machine.
sed -i 's/^# machine: .*/# machine: abacus, 1 CPUs/' "$rules"
"$corunna" info > out 2>&1
grep -q "^tuned: $rules was made on another machine and is left out: abacus, 1 CPUs" out || fail "another machine: $(grep tuned out)"
CORUNNA_LOG=info "$corunna" run -n 2 "$corunna" info --coll barrier -n 2 > out 2> err
grep -q "own [0-9]*:" out && fail "rules of another machine are read"
grep -q "left out: it was made on another machine (abacus, 1 CPUs)" err || fail "another machine is not told"

[ -z "$(find "$scratch" -maxdepth 1 -name 'corunna-bench.*')" ] || fail "left behind"
[ $failures = 0 ] && echo "all fine"
exit $failures
