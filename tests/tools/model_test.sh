#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# corunna model: fit, predict, show, replace, and everything that is wrong. model_test.sh CORUNNA
. "$(dirname "$0")/../launcher/launcher_lib.sh"

# Times of known models, with a little noise that repeats.
awk 'BEGIN {
    srand(7)
    print "# machine: none, made by a test"
    print "test,system,language,device,ranks,type,mode,bytes,unit,minimum,median,spread,samples"
    split("c java", languages, " ")
    for (l = 1; l <= 2; l++)
        for (k = -1; k <= 44; k++) {
            n = k < 0 ? 0 : int(2 ^ (k / 2) + 0.5)
            x = 1e-4 * n
            row("pingpong", languages[l], "smdev", 2, "", n, (l == 1 ? 1 : 3) * (2 + 3 * x / (2 + x) + x))
        }
    for (p = 2; p <= 16; p *= 2)
        for (n = 8; n <= 2 ^ 21; n *= 4) {
            lg = log(p) / log(2)
            row("bcast", "c", "hybdev", p, "apart", n, 1 + lg + 1e-4 * lg * n)
            row("reduce", "c", "hybdev", p, "apart", n, 1 + 2 * lg + 1e-4 * lg * n)
            row("allreduce", "c", "hybdev", p, "apart", n, 10 + 5 * lg + 1.5e-4 * lg * n)
        }
    print "rate,corunna,c,smdev,2,byte,,8,M/s,15,14,0.03,20"
}
function row(test, language, device, ranks, mode, bytes, us) {
    us *= 1 + 0.01 * (rand() - 0.5)
    printf "%s,corunna,%s,%s,%d,byte,%s,%d,us,%.6g,%.6g,0.03,20\n",
        test, language, device, ranks, mode, bytes, us, 1.1 * us
}' > points.csv

run "$corunna" model fit points.csv -o points.model --check 20
expect_status 0
expect_quiet
grep -q '^pingpong, corunna, c, smdev, byte, 2 ranks$' out || fail "$label: $(head -n 3 out)"
grep -q '^  31 points of 0 to 4194304 bytes, 15 held out$' out || fail "$label: $(head -n 3 out)"
grep -q -e '^  t0 = 1.9*[0-9]* us, ti = [23]\.[0-9]* us, tb = 0\.[01][0-9]* ns/byte$' \
    -e '^  t0 = 2\(\.0[0-9]*\)* us, ti = [23]' out ||
    fail "$label: $(sed -n 3p out)"
grep -q '^5 curves, errors of held-out points$' out || fail "$label: $(tail -n 9 out)"
grep -q '^  papers  *mean  *[01]\.[0-9] %.* 5 of 5$' out || fail "$label: $(tail -n 9 out)"
grep -q '^  hockney  *mean' out && grep -q '^  loggp  *mean' out || fail "$label: $(tail -n 9 out)"
grep -q '^1 line has no time and was left out$' out || fail "$label: $(tail -n 4 out)"
tail -n 1 out | grep -q '^written to points.model$' || fail "$label: $(tail -n 1 out)"
[ "$(head -n 1 points.model)" = 'corunna-model 1' ] || fail "points.model begins with $(head -n 1 points.model)"
grep -q '^remark machine: none' points.model || fail "points.model has no remark"

# The same seed holds the same points out, another one others.
cp out first
run "$corunna" model fit points.csv -o points.model --check 20 --seed 1
cmp -s out first || fail "$label: another result with the same seed"
run "$corunna" model fit points.csv --check 20 --seed 2
expect_status 0
if cmp -s out first; then fail "$label: the same result with another seed"; fi

run "$corunna" model predict points.model pingpong 20000 --language c
expect_status 0
expect_quiet
# 2 + 1.5 + 2
awk '{ exit !($8 > 5.3 && $8 < 5.7) }' out || fail "$label: $(cat out)"
grep -q ' us for 20000 bytes on 2 ranks, .* MB/s (papers, held-out error ' out || fail "$label: $(cat out)"
[ "$(wc -l <out)" -eq 1 ] || fail "$label: $(cat out)"
run "$corunna" model predict points.model pingpong 20k
expect_status 0
[ "$(wc -l <out)" -eq 2 ] || fail "$label: one line for each language, not $(cat out)"
run "$corunna" model predict points.model bcast 8 --ranks 64 --form hockney
expect_status 0
grep -q '^  beyond what was measured: 2 to 16 ranks$' out && grep -q '(hockney' out || fail "$label: $(cat out)"

run "$corunna" model replace points.model
expect_status 0
grep -q '^  16 ranks, .* bytes: allreduce by reduce + bcast saves up to [56][0-9] % ' out || fail "$label: $(cat out)"
if grep -q 'bcast by' out; then fail "$label: $(cat out)"; fi
run "$corunna" model replace points.model --ranks 4
expect_status 0
if grep -q '16 ranks,' out; then fail "$label: $(cat out)"; fi

run "$corunna" model show points.model points.csv --test bcast
expect_status 0
[ "$(grep -c ' %' out)" -eq 40 ] || fail "$label: $(cat out)"
run "$corunna" model show points.model points.csv --html /dev/full
expect_status 1
expect_sentence 'corunna model show: cannot write /dev/full: No space left on device'

# What corunna bench writes is understood.
run "$corunna" bench pingpong bcast -n 2 --sizes 8,1k,64k --check 2 --rounds 1 --ms 1 --quiet --csv bench.csv
if [ "$status" -eq 0 ]; then
    run "$corunna" model fit bench.csv -o bench.model
    expect_status 0
    expect_quiet
    grep -q '^pingpong, corunna, c, default, byte, 2 ranks$' out || fail "$label: $(cat out)"
    grep -q '^bcast, corunna, c, default, double, apart, 2 ranks$' out || fail "$label: $(cat out)"
    grep -q '^  3 points of 8 to 65536 bytes, 2 held out$' out || fail "$label: $(cat out)"
    run "$corunna" model show bench.model bench.csv --html bench.html
    expect_status 0
else
    fail "$label: $(tail -n 3 err)"
fi

# What is misspelt gets the nearest word.
run "$corunna" model predict points.model pingpng 8
expect_status 1
expect_sentence 'corunna model predict: points.model has no test "pingpng"; did you mean pingpong?'
run "$corunna" model predict points.model pingpong 8 --language jva
expect_status 1
expect_sentence 'corunna model predict: points.model has no language "jva"; did you mean java?'
run "$corunna" model predict points.model pingpong 8 --form hokney
expect_status 2
expect_sentence 'corunna model predict: unknown form "hokney"; did you mean hockney?'
run "$corunna" model predict points.model pingpong 8 --langage java
expect_status 2
expect_err 'unknown option --langage; did you mean --language?'
run "$corunna" model predict points.model pingpong 8 --ranks 3
expect_status 1
expect_sentence 'corunna model predict: points.model has no such curve on 3 ranks'
run "$corunna" model predict points.model pingpong much
expect_status 2
expect_sentence 'corunna model predict: "much" is no size such as 1024, 64k or 4M'
run "$corunna" model predit points.model
expect_status 2
expect_err 'unknown verb "predit"; did you mean predict?'
run "$corunna" modle
expect_status 2
expect_err 'did you mean model?'
run "$corunna" model fit
expect_status 2
expect_sentence 'corunna model fit: something is missing; usage: corunna model fit FILE.csv [options]'
run "$corunna" model fit a b
expect_status 2
expect_err '"b" is too much'
run "$corunna" model fit points.csv --check none
expect_status 2
for verb in fit predict show replace; do
    run "$corunna" model $verb --help
    expect_status 0
    expect_quiet
done

# What was there stays when something goes wrong.
cp points.model before
sed 's/^corunna-model 1/corunna-model 2/' points.model >other.model
run "$corunna" model predict other.model pingpong 8
expect_status 1
expect_err \
    '^corunna model predict: other.model, line 1: this is a model file of version 2; this Corunna reads version 1'
head -n 9 points.model >short.model
run "$corunna" model show short.model points.csv
expect_status 1
expect_err 'the file was cut short'
# Files without an end, and numbers that are none.
run "$corunna" model predict /dev/zero pingpong 8
expect_status 1
expect_sentence 'corunna model predict: /dev/zero, line 1: contains a zero byte; the file must be text'
expect_soon
run sh -c 'tr "\\0" a </dev/zero | "$1" model fit /dev/stdin' sh "$corunna"
expect_status 1
expect_sentence 'corunna model fit: /dev/stdin, line 1: has more than 1048576 bytes'
for value in inf nan 1e999 1e31; do
    sed "s/ t0=[^ ]*/ t0=$value/" points.model >infinite.model
    run "$corunna" model predict infinite.model pingpong 8
    expect_status 1
    expect_err "t0 is \"$value\"; it must be like 0.5"
done
cat >infinite.model <<END
corunna-model 1
curve test=pingpong system=corunna language=c device=hybdev type=double mode=apart ranks=2 bytes=8-1048576 \
points=24 held_out=0
fit form=papers fitted=0.03 held_out=none
piece from=0 t0=-1 ti=1 tb=0.001
end
END
run "$corunna" model predict infinite.model pingpong 1000
expect_status 0
grep -q 'no time for 1000 bytes on 2 ranks, where the model is infinite' out || fail "$label: $(cat out)"
sed 's/bytes,unit/byte,unit/' points.csv >wrong.csv
run "$corunna" model fit wrong.csv -o points.model
expect_status 1
expect_sentence 'corunna model fit: wrong.csv, line 2: there is no column "bytes"; is it the one called "byte"?'
run "$corunna" model fit nowhere.csv -o points.model
expect_status 1
expect_sentence 'corunna model fit: cannot read nowhere.csv: No such file or directory'
run "$corunna" model fit points.csv -o nowhere/points.model
expect_status 1
expect_sentence 'corunna model fit: cannot write nowhere/points.model: No such file or directory'
# A limit of the size of files, in blocks of 512 bytes, is as good as a full disk.
run sh -c "ulimit -f 1; trap '' XFSZ; '$corunna' model fit points.csv -o points.model | cat >/dev/null; exit 0"
grep -q 'cannot write .*points.model: File too large' err || fail "$label: $(cat err)"
cmp -s points.model before || fail "points.model has changed"
[ -z "$(ls ./*.tmp 2>/dev/null)" ] || fail "a temporary file was left: $(ls)"

finish
