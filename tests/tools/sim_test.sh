#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sim_test.sh CORUNNA PART PROBE [SOURCE]: PART bench: predictions; tune: rules for a cluster that is not there; run: a
# C program in virtual time; java: a Java program.
. "$(dirname "$0")/tools_lib.sh"
part=$2
probe=$3
source=$4

# is_near: do the files "want" and "got" say the same, to a nanosecond or two, which rounding takes?
is_near() {
    paste -d ' ' want got | awk '{ d = $2 - $4; if (NF != 4 || $1 != $3 || d > 0.002 || d < -0.002) bad = 1 }
        END { exit bad || NR == 0 }'
}

# The time of an allreduce of so many bytes that all ranks begin at once: predicted NODES PPN BYTES ALGORITHM
free="copy=0,reduce=0,factor=0"
predicted() {
    CORUNNA_COLL_ALLREDUCE=$4 "$corunna" bench allreduce --modes apart --sizes "$3" --quiet --csv figures.csv \
        --sim "nodes=$1,ppn=$2,$free" > out 2> err || fail "prediction: $(cat err)"
    awk -F , '$1 == "allreduce" { printf "%.3f\n", $10 }' figures.csv
}

cat > other.model <<'END'
corunna-model 2
end
END
cat > bcast.model <<'END'
corunna-model 1
curve test=bcast system=corunna language=c device=hybdev type=byte mode=apart ranks=2 bytes=8-1024 points=4 held_out=0
fit form=papers fitted=0.03 held_out=none
piece from=0 t0=1 ti=0 tb=0.001
end
END
cat > short.model <<'END'
corunna-model 1
curve test=pingpong system=corunna language=c device=hybdev type=byte mode= ranks=2 bytes=8-1048576 points=8 held_out=0
fit form=papers fitted=0.03 held_out=none
piece from=0 t0=4 ti=0 tb=0.0625
fit form=piecewise fitted=0.01 held_out=none
piece from=0 t0=100 ti=0 tb=0.001
piece from=512 t0=4 ti=0 tb=0.001
end
END
cat > pieces.model <<END
corunna-model 1
curve test=pingpong system=corunna language=java device=hybdev type=byte mode= ranks=2 bytes=8-1048576 points=8 \
held_out=0
fit form=papers fitted=0.03 held_out=none
piece from=0 t0=50 ti=0 tb=0.01
curve test=pingpong system=corunna language=c device=hybdev type=byte mode= ranks=2 bytes=8-1048576 points=8 held_out=0
fit form=papers fitted=0.03 held_out=none
piece from=0 t0=4 ti=0 tb=0.0625
fit form=piecewise fitted=0.01 held_out=none
piece from=0 t0=4 ti=0 tb=0.0625
piece from=1024 t0=100 ti=0 tb=0.03125
end
END

cat > exchange.model <<'END'
corunna-model 1
curve test=pingpong system=corunna language=c device=hybdev type=byte mode= ranks=2 bytes=8-1024 points=8 held_out=0
fit form=papers fitted=0.03 held_out=none
piece from=0 t0=10 ti=0 tb=0.01
curve test=exchange system=corunna language=c device=hybdev type=byte mode= ranks=2 bytes=8-1024 points=8 held_out=0
fit form=papers fitted=0.03 held_out=none
piece from=0 t0=32 ti=0 tb=0.032
end
END

case $part in
tune)
    cluster="nodes=16,ppn=4"
    expect_error tune '4 ranks are on one node' allreduce --sim nodes=1,ppn=4 -o rules
    expect_error tune 'nodes is not given' allreduce --sim ppn=4 -o rules
    expect_error tune 'and with -o' allreduce --sim $cluster
    expect_error tune 'goes without --hosts' allreduce --sim $cluster --hosts a,b -n 4 -o rules
    expect_error tune '"sm" is not a collective that can be tuned' sm --sim $cluster -o rules
    timeout 600 "$corunna" tune allreduce --sim $cluster -n 32 --sizes 8,32k -o rules --html page.html > out 2> err ||
        fail "tune: $(cat err)"
    grep -q "^# predicted for: .*nodes of 4 ranks" rules || fail "the file does not name the cluster"
    grep -q "^allreduce blocking ranks<=32 node_ranks=4 nodes>1 bytes>512 .* rabenseifner" rules ||
        fail "rules: $(cat rules)"
    grep -q "<td>rabenseifner</td>" page.html || fail "the page does not show the rule"
    # The time that it promises is the time with its rules, and it is shorter than before.
    promised=$(awk '$1 == "allreduce" && $3 == 32 { print $5, $7 }' out)
    for rules in "" rules; do
        CORUNNA_COLL_RULES=$rules "$corunna" bench allreduce -n 32 --sizes 32k --modes apart --quiet --csv figures.csv \
            --sim $cluster > out 2> err || fail "prediction: $(cat err)"
        awk -F , '$1 == "allreduce" { printf "%.3f\n", $10 }' figures.csv
    done > times
    [ "$(echo $(cat times))" = "$promised" ] || fail "promised $promised, predicted $(cat times)"
    sort -rnc times 2> /dev/null || fail "slower than before: $(cat times)"

    # A combination that beats the primitive becomes a rule, and is used: scatter by bcast where short messages take
    # long, allgather by the messages of alltoall where many of them can be on their way.
    for case in "scatter 64 64 bcast nodes=64,model=short.model,overhead=0.02,eager=0" \
        "allgather 12 8k nbft nodes=3,ppn=4,inside=tcp"; do
        # shellcheck disable=SC2086
        set -- $case
        timeout 600 "$corunna" tune "$1" --sim "$5" -n "$2" --sizes "$3" -o combined > out 2> err ||
            fail "tune $case: $(cat err)"
        grep -q "^$1 blocking ranks<=$2 .* $4\$" combined || fail "tune $case: $(cat combined)"
        CORUNNA_COLL_RULES=combined "$corunna" bench "$1" --sizes "$3" --modes apart --quiet --sim "$5" > out 2> err
        grep -q "note: $1, $2 ranks, .*: $4\$" out || fail "the rule of $case is not used: $(cat out err)"
    done

    # An interrupt leaves what was there.
    echo "# old" > rules
    "$corunna" tune --sim nodes=256,ppn=16 -o rules --quiet > out 2> err &
    tune=$!
    wait_until grep -q 'SigBlk:.*[2367abef]$' /proc/$tune/status # it looks for interrupts itself
    kill -INT $tune
    wait $tune
    [ $? = 130 ] || fail "interrupt: status"
    grep -q "interrupted; rules is as it was" err || fail "interrupt: $(cat err)"
    [ "$(cat rules)" = "# old" ] || fail "an interrupt changed the rules"
    ;;
bench)
    # Bad input.
    for command in bench run; do
        tail=allreduce
        [ $command = bench ] || tail=/bin/true
        expect_error $command 'nodes is "0"; it must be a number from 1' --sim nodes=0 $tail
        expect_error $command 'unknown key "node"; did you mean nodes?' --sim node=4 $tail
        expect_error $command 'ppn has no value' --sim nodes=4,ppn $tail
        expect_error $command 'nodes is given twice' --sim nodes=4,nodes=4 $tail
        expect_error $command 'overhead is "0.7"; it must be a number from 0 to 0.5' --sim nodes=4,overhead=0.7 $tail
        expect_error $command 'other.model' --sim nodes=4,model=other.model $tail
        expect_error $command 'no such file\|No such file' --sim nodes=4,model=absent.model $tail
        expect_error $command 'bcast.model has no curve of test=pingpong' --sim nodes=4,inside=bcast.model $tail
        expect_error $command 'too many' --sim nodes=1048576,ppn=2 $tail
    done
    expect_error bench 'nodes is not given' --sim ppn=4 allreduce
    expect_error bench 'one rank has none to talk to' --sim nodes=1 allreduce
    expect_error bench 'more than the 1 MiB that they may' --sim nodes=64,ppn=16,memory=1m alltoall --sizes 1k
    expect_error run 'other hosts cannot be named' --sim nodes=2 --hosts a,b /bin/true
    expect_error run 'call is for predictions' --sim nodes=2,call=50 /bin/true
    expect_error run '-n is 9, but 2 nodes of 4 ranks hold 8' --sim nodes=2,ppn=4 -n 9 /bin/true

    # A ping-pong takes what its model says, by the pieces of the C curve, and the limit of eager messages is theirs.
    "$corunna" bench pingpong --sizes 0,1000,4096 --quiet --csv figures.csv --sim nodes=2,model=pieces.model \
        > out 2> err ||
        fail "pingpong: $(cat err)"
    awk -F , '$1 == "pingpong" { print $8, $10 }' figures.csv > got
    printf '0 4\n1000 66.5\n4096 228\n' | cmp -s - got || fail "pingpong: $(cat got)"
    grep -q "^simulated: 2 nodes of 1 ranks; between nodes pieces.model, eager to 1023 bytes" out ||
        fail "label: $(cat out)"

    # Of a file with an exchange the CPUs are as busy as was measured, unless shares are asked for.
    for keys in "" ,overhead=0.1,moving=0.1; do
        "$corunna" bench pingpong exchange --sizes 1000 --quiet --csv figures.csv \
            --sim "nodes=1,ppn=2,inside=exchange.model$keys" > out 2> err ||
            fail "exchange: $(cat err)"
        awk -F , '/^(pingpong|exchange),/ { printf "%s ", $10 }' figures.csv
    done > got
    [ "$(cat got)" = "20 64 20 30 " ] || fail "exchange: $(cat got)"
    # A call takes its own time beside its messages.
    for keys in "" ,call=5000; do
        "$corunna" bench barrier --modes apart --quiet --csv figures.csv \
            --sim "nodes=1,ppn=2,inside=exchange.model$keys" > out 2> err ||
            fail "call: $(cat err)"
        awk -F , '/^barrier,/ { printf "%s ", $10 }' figures.csv
    done > got
    [ "$(cat got)" = "16 21 " ] || fail "call: $(cat got)"

    # The same bytes every time, whatever is asked of it; another seed, another skew.
    all="barrier bcast gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv reduce allreduce
        reduce_scatter reduce_scatter_block scan exscan exchange"
    for run in 1 2; do
        # shellcheck disable=SC2086
        "$corunna" bench $all --sizes 8,64k --csv figures$run.csv --json figures$run.json --html page$run.html --quiet \
            --sim nodes=5,ppn=3,skew=20 > out$run 2> err || fail "all: $(cat err)"
    done
    for file in figures1.csv figures1.json page1.html out1; do
        second=$(echo $file | sed 's/1/2/')
        cmp $file "$second" || fail "$file differs from run to run"
    done
    [ "$(grep -c '^[a-z_]*,simulated,c,simdev,15,' figures1.csv)" = 64 ] ||
        fail "not all was predicted: $(cat figures1.csv)"
    # shellcheck disable=SC2086
    "$corunna" bench $all --sizes 8,64k --quiet --csv other.csv --sim nodes=5,ppn=3,skew=20,seed=7 > out 2> err
    grep -v '^#' figures1.csv > first
    grep -v '^#' other.csv | cmp -s - first && fail "another seed changes nothing"
    "$corunna" bench barrier -n 6,48 --modes apart --quiet --csv ranks.csv --sim ppn=8 > out 2> err ||
        fail "-n: $(cat err)"
    [ "$(grep -c '^barrier,simulated,c,simdev,\(6\|48\),' ranks.csv)" = 2 ] || fail "-n: $(cat ranks.csv)"
    "$corunna" bench rate --sim nodes=2 > out 2> err
    grep -q "note: rate is not simulated" out || fail "rate: $(cat out)"
    grep -q "million a second; .* bytes a simulated rank" err || fail "events: $(cat err)"

    # Trees and what is recursive, on very many ranks.
    timeout 600 "$corunna" bench barrier bcast gather gatherv scatter reduce allreduce allgather scan --sizes 8 \
        --modes apart --quiet --csv many.csv --sim nodes=4096,ppn=16 > out 2> err ||
        fail "65536 ranks: status $?: $(cat err)"
    [ "$(grep -c ',simulated,c,simdev,65536,' many.csv)" = 9 ] || fail "65536 ranks: $(cat many.csv)"

    # No rule loses by more than half of the best algorithm's time at 256 ranks.
    "$corunna" bench $all --sizes 8,1k,8k,64k --modes apart --all-algorithms --quiet --csv all.csv \
        --sim nodes=16,ppn=16 > out 2> err || fail "all algorithms: $(cat err)"
    awk -F , '$2 == "simulated" { case_ = $1 " of " $8 " bytes" }
        $4 == "simdev" { rule[case_] = $10 }
        $4 ~ /simdev:/ && (!(case_ in best) || $10 < best[case_]) { best[case_] = $10; by[case_] = $4 }
        END { for (c in best) {
                  cases++
                  if (rule[c] > 1.5 * best[c]) { bad++; print c ": " rule[c] " us, " by[c] " " best[c] }
              }
              exit !(cases > 50 && !bad) }' all.csv || fail "a rule loses at 256 ranks"
    ;;
run)
    for case in "2 1 8 doubling" "4 2 8 doubling" "4 2 65536 rabenseifner" "3 2 65536 bucket" "5 3 4096 mst"; do
        # shellcheck disable=SC2086
        set -- $case
        CORUNNA_COLL_ALLREDUCE=$4 timeout 600 "$corunna" run --sim "nodes=$1,ppn=$2,$free" "$probe" $(($3 / 8)) \
            > got 2> err ||
            fail "run $case: status $?: $(cat err)"
        echo "allreduce $(predicted "$@")" > want
        is_near || fail "run $case: $(cat got), predicted $(cat want)"
    done
    # Computation counts, by the factor.
    timeout 600 "$corunna" run --sim nodes=2,ppn=2,factor=10 "$probe" 100 100000 > slow 2> err ||
        fail "factor: $(cat err)"
    timeout 600 "$corunna" run --sim nodes=2,ppn=2,factor=0 "$probe" 100 100000 > quick 2> err ||
        fail "factor: $(cat err)"
    awk 'NR == FNR { slow = $2; next } { exit !(slow > 10 * $2) }' slow quick ||
        fail "the factor changes nothing: $(cat slow quick)"
    # Many ranks, and a word on ranks that wait for ever.
    timeout 600 "$corunna" run --sim nodes=16,ppn=4,factor=0 "$probe" 100 > got 2> err || fail "64 ranks: $(cat err)"
    timeout 600 "$corunna" run --sim nodes=2 --timeout 600 --dev simdev "$probe" 1 > got 2> err ||
        fail "dev: $(cat err)"
    timeout 600 "$corunna" run -n 2 --dev simdev "$probe" 1 > got 2> err && fail "simdev without a network"
    grep -q "simdev has no network" err || fail "simdev without a network: $(cat err)"
    ;;
java)
    jar=$(dirname "$corunna")/../lib/corunna.jar
    javac -cp "$jar" -d . "$source" || fail "javac"
    CORUNNA_COLL_ALLREDUCE=doubling timeout 600 "$corunna" run --sim "nodes=4,ppn=2,$free" \
        java -Xshare:auto -cp . SimProbe 100 > got 2> err || fail "java: status $?: $(cat err)"
    echo "allreduce $(predicted 4 2 800 doubling)" > want
    grep -q "computed false" got || fail "java: computation counts: $(cat got)"
    sed -i '/computed/d' got
    is_near || fail "java: $(cat got), predicted $(cat want)"
    timeout 600 "$corunna" run --sim nodes=4,ppn=2,factor=2 java -cp "$jar:." SimProbe 100 > got 2> err ||
        fail "java: status $?: $(cat err)"
    grep -q "computed true" got || fail "java: computation does not count: $(cat got)"
    expect_error run 'java has no class' --sim nodes=2 java -cp .
    expect_error run '--timeout does not go with --sim and java' --sim nodes=2 --timeout 9 java -cp . SimProbe
    ;;
esac
finish
