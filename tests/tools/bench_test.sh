#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench_test.sh CORUNNA PART: corunna bench measures every test, tells wrong words, leaves nothing behind. PART: c,
# java, words.
. "$(dirname "$0")/tools_lib.sh"
part=$2
quick="--rounds 1 --ms 1 --quiet"

# expect_rows LANGUAGE TEST TYPE MODE RANKS SIZES...: a line in the file for each size, with times that can be.
expect_rows() {
    language=$1 test=$2 type=$3 mode=$4 ranks=$5
    shift 5
    for size; do
        awk -F , -v want="$test,$language,$ranks,$type,$mode,$size" '
            $1 "," $3 "," $5 "," $6 "," $7 "," $8 == want { found++; sane += $10 > 0 && $11 >= $10 && $13 > 0 }
            END { exit !(found == 1 && sane == 1) }' figures.csv ||
            fail "$language $test $type $mode $ranks ranks $size: not one sane line"
    done
}

pairs="pingpong pingping stream bistream rate overlap"
groups="exchange pairs ring"
moving="bcast gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv"
windows="put get putstream getstream accumulate lock fence post"
words="fetch_and_op compare_and_swap"
summing="reduce allreduce reduce_scatter scan"
case $part in
c)
    # shellcheck disable=SC2086
    timeout 1200 "$corunna" bench $pairs $groups $windows $words threads memory column triangle upper face startup \
        barrier $moving $summing reduce_scatter_block exscan -n 2,3 --sizes 8,4096 \
        --csv figures.csv --json figures.json $quick > out 2> err ||
        fail "all tests: status $?: $(cat err)"
    ! grep "^note" out || fail "something was not measured"
    for test in pingpong pingping stream bistream rate; do
        expect_rows c $test byte "" 2 8 4096
    done
    for ranks in 2 3; do
        for test in $groups; do
            expect_rows c "$test" byte "" $ranks 8 4096
        done
        for mode in allocated created; do
            for test in put get putstream getstream lock fence post; do
                expect_rows c "$test" byte $mode $ranks 8 4096
            done
            expect_rows c accumulate double $mode $ranks 8 4096
            for test in $words; do
                expect_rows c "$test" byte $mode $ranks 0
            done
        done
        for mode in apart row; do
            expect_rows c barrier byte $mode $ranks 0
            for test in $moving $summing reduce_scatter_block exscan; do
                expect_rows c "$test" double $mode $ranks 8 4096
            done
        done
        expect_rows c memory byte all $ranks 8
        expect_rows c startup "" "" $ranks 0
    done
    expect_rows c threads byte 4 2 8 4096
    expect_rows c send-triangle "" "" 2 1 500 262144
    timeout 600 "$corunna" bench file_write file_write_all file_read file_read_all file_by_hand -n 2 --sizes 4096 \
        --csv files.csv $quick > out 2> err || fail "files: status $?: $(cat err)"
    mv figures.csv others.csv
    mv files.csv figures.csv
    for mode in block rows gap cube; do
        for test in file_write file_write_all file_read file_read_all; do
            expect_rows c $test byte $mode 2 4096
        done
    done
    expect_rows c file_by_hand byte cube 2 4096
    mv others.csv figures.csv
    grep -q '"test": "pingpong", "system": "corunna", "language": "c"' figures.json || fail "JSON"
    [ "$(tr -cd '{' < figures.json | wc -c)" = "$(tr -cd '}' < figures.json | wc -c)" ] || fail "JSON does not close"

    timeout 600 "$corunna" bench pingpong bcast --types int,double,column --sizes 64,1k --modes row \
        --csv figures.csv $quick > out 2> err
    expect_rows c pingpong column "" 2 64
    expect_rows c bcast int row 2 64
    # A chart of times and one of bandwidths for each of: three types of an exchange by two, two of a broadcast.
    timeout 600 "$corunna" bench pingping bcast --types int,double,column --sizes 64,1k --modes row \
        --html page.html $quick > out 2> err
    [ "$(grep -o 'data-curve=' page.html | wc -l)" = 10 ] ||
        fail "the page has $(grep -o 'data-curve=' page.html | wc -l) curves"
    grep -q "^bcast, 2 ranks, int, row (us)" out || fail "the table has no bcast"

    # Random sizes for judging, the same with the same seed.
    for turn in first second; do
        timeout 600 "$corunna" bench pingpong --sizes 8,64k --check 5 --seed 7 --csv figures.csv $quick > out 2> err
        awk -F , '$1 == "pingpong" && $7 == "+check" { print $8 }' figures.csv > $turn
    done
    [ "$(wc -l < first)" = 5 ] && cmp -s first second || fail "random sizes: $(cat first)"
    ;;
java)
    for how in --java --threads; do
        # shellcheck disable=SC2086
        timeout 1200 "$corunna" bench pingpong exchange overlap allreduce alltoallv $how --sizes 8,4096 \
            --csv figures.csv $quick > out 2> err ||
            fail "$how: status $?: $(cat err out)"
        expect_rows java pingpong byte "" 2 8 4096
        expect_rows java exchange byte "" 2 8 4096
        expect_rows java allreduce double apart 2 8 4096
        expect_rows java alltoallv double row 2 8 4096
    done
    # C has some of these types: all of ours is there, and the status says so.
    timeout 1200 "$corunna" bench pingpong --java --types direct,strings,records,column --sizes 64 \
        --csv figures.csv $quick > out 2> err ||
        fail "types of Java: status $?: $(cat err out)"
    for type in direct strings records column; do
        expect_rows java pingpong $type "" 2 64
    done
    # C has none of this test.
    timeout 1200 "$corunna" bench openpingpong --threads --sizes 64 --csv figures.csv $quick > out 2> err ||
        fail "openpingpong: $(cat err out)"
    expect_rows java openpingpong byte "" 2 64
    ! grep "^note: " out || fail "C is asked for a test of Java"
    ;;
words)
    expect_error bench 'unknown test "pingpnog"; did you mean pingpong?' pingpnog
    expect_error bench 'unknown library "opnmpi"; did you mean openmpi?' pingpong --against opnmpi
    expect_error bench '"1" is not a number of ranks' pingpong -n 1
    expect_error bench '"8q" is not a size' pingpong --sizes 8q
    expect_error bench 'did you mean' pingpong --size 8
    expect_error bench 'no test has the types and modes' pingpong --types strngs
    expect_error bench 'none of the libraries has these tests and types; --java' pingpong --types strings
    expect_error bench 'none of the libraries has these tests and types; --java' openpingpong
    expect_error bench 'cannot read /no/plan' --plan /no/plan
    expect_error bench 'only [0-9]* CPUs may be used' pingpong --cpus 100000
    printf 'pingpong --sizes 8\nbcast --rounds 3\n' > plan
    expect_error bench 'in line 2 of plan' --plan plan
    # A file that cannot be written, before anything is measured.
    for option in csv json html; do
        # shellcheck disable=SC2086
        {
            expect_error bench "cannot write /no/such/page: No such file" pingpong $quick --$option /no/such/page
            [ ! -s out ] || fail "--$option: $(cat out)"
            expect_error bench "cannot write $scratch: Is a directory" pingpong $quick --$option "$scratch"
        }
    done
    expect_error tune "cannot write /no/such/rules: No such file" barrier -o /no/such/rules
    expect_error tune "cannot write /no/such/page: No such file" barrier -o rules --html /no/such/page
    expect_error apps "cannot write /no/such/page: No such file" matrix --html /no/such/page
    printf 'pingpong --sizes 8\nbcast --sizes 64 --modes row\n' > plan

    # Targets are judged, and a fault in the list is told by its line.
    printf '%s\n' '# two' 'ours | corunna pingpong byte - 2 8 | corunna | worst | 1' \
        'lost | corunna bcast double row 2 * | corunna | mean | 0.5' > targets
    timeout 600 "$corunna" bench --plan plan --targets targets $quick > out 2> err || fail "plan: $(cat err)"
    grep -q "^  met  *1.000  at most 1 .* ours (worst of 1; worst pingpong 8)" out ||
        fail "a target that is met: $(cat out)"
    grep -q "^  missed  *1.000  at most 0.5 .* lost (mean of 1" out || fail "a target that is missed"
    printf 'ours | corunna pingpong | best | worst | 1\n' > targets
    timeout 600 "$corunna" bench --plan plan --targets targets $quick > out 2> err
    grep -q "targets, line 1: the second field has six words" err || fail "a fault in the targets: $(cat err)"
    # Both before anything is measured.
    [ ! -s out ] || fail "figures come before a fault in the targets: $(cat out)"
    expect_error bench "cannot read /no/such/targets: No such file" pingpong $quick --targets /no/such/targets
    [ ! -s out ] || fail "figures come before the targets are missed: $(cat out)"

    # A library that is not there is named, the rest is measured.
    OPENMPI_HOME=/nowhere timeout 600 "$corunna" bench pingpong --sizes 8 --against openmpi $quick > out 2> err ||
        fail "without Open MPI: $(cat err)"
    grep -q "note: Open MPI is left out: there is no /nowhere/bin/mpirun" out ||
        fail "Open MPI is not missed: $(cat out)"

    # Ranks that sleep, and floors to compare with.
    timeout 600 "$corunna" bench pingpong --sizes 8,100 --asleep --csv figures.csv $quick > out 2> err ||
        fail "asleep: $(cat err)"
    grep -q "^pingpong,corunna,c,asleep,2,byte,,8," figures.csv || fail "asleep: $(cat figures.csv)"
    timeout 600 "$corunna" bench pingpong bcast --sizes 8,96 --against cacheline,socket \
        --csv figures.csv $quick > out 2> err || fail "floors: $(cat err)"
    if [ "$(nproc)" -gt 1 ]; then
        for size in 8 96; do
            grep -q "^pingpong,cacheline,c,.*,2,byte,,$size," figures.csv || fail "cacheline: $(cat out)"
        done
    fi
    ! grep -q "^bcast,cacheline" figures.csv || fail "a cache line does no bcast"
    # One that measures nothing of what is asked for says so, and one that measures a part does not.
    grep -q "^note: bare socket measures none of these; " out || fail "a bare socket has no way: $(cat out)"
    ! grep "^note: cache line measures none" out || fail "a cache line has figures"
    timeout 600 "$corunna" bench pingpong --dev tcpdev --sizes 8 --against socket \
        --csv figures.csv $quick > out 2> err || fail "socket: $(cat err)"
    grep -q "^pingpong,socket,c,.*,2,byte,,8," figures.csv && ! grep "^note: " out || fail "socket: $(cat out)"
    expect_error bench 'netns makes hosts of its own' pingpong --netns --hosts a,b

    # Figures that are missing are told by the status, after one round as after many.
    mkdir ssh && printf '#!/bin/sh\necho "no route to $*" >&2\nexit 255\n' > ssh/ssh && chmod +x ssh/ssh
    PATH="$PWD/ssh:$PATH" timeout 600 "$corunna" bench pingpong --hosts h1,h2 --sizes 8 $quick > out 2> err
    [ $? = 1 ] && grep -q "note: Corunna, pingpong, 2 ranks: " out ||
        fail "hosts that cannot be reached: $(cat out err)"

    # Figures that differ much have a word beside them. The program that measures is one that prints such figures.
    mkdir -p tree/bin tree/libexec/corunna && ln -s "$(dirname "$(dirname "$corunna")")/lib" tree/lib
    cp "$corunna" tree/bin/corunna
    printf '%s\n' '#!/bin/sh' 'printf "pingpong\tbyte\t\t8\tus\t1\t1.9\t10\n"' \
        'printf "pingpong\tbyte\t\t64\tus\t1\t2\t10\n"' > tree/libexec/corunna/mpibench
    chmod +x tree/libexec/corunna/mpibench
    timeout 600 tree/bin/corunna bench pingpong --sizes 8,64 $quick > out 2> err ||
        fail "invented figures: $(cat out err)"
    grep -q "^ *8 *1.000 *90%$" out && grep -q "^ *64 *1.000 *100%  unsteady$" out || fail "unsteady: $(cat out)"
    grep -q "^unsteady: a median of twice the minimum or more, in 1 line;" out ||
        fail "unsteady is not explained: $(cat out)"

    # Two hosts on this one, for root; the others are told.
    if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --clear-groups test -x "$corunna" 2> /dev/null; then
        chmod 755 "$scratch" && mkdir -m 777 open
        TMPDIR="$scratch/open" setpriv --reuid 65534 --clear-groups timeout 600 "$corunna" bench pingpong --netns \
            --sizes 8 $quick > out 2> err
        [ $? = 1 ] && grep -q "note: rows between two hosts (--netns) are left out: network namespaces need root" out ||
            fail "netns: $(cat out err)"
    fi
    if [ "$(id -u)" = 0 ] && ip netns add corunna-bench-test-$$ 2> /dev/null; then
        ip netns del corunna-bench-test-$$
        timeout 600 "$corunna" bench pingpong --netns --sizes 8,4096 --csv figures.csv $quick > out 2> err ||
            fail "netns: $(cat out err)"
        for size in 8 4096; do
            grep -q "^pingpong,corunna,c,tcpdev-netns,2,byte,,$size," figures.csv || fail "netns: $(cat out)"
        done
        ! ip netns list | grep "corunna-bench-" || fail "a namespace is left"
    fi

    # What was in a file stays when the new one cannot be written.
    mkdir full && echo old > full/figures.csv
    timeout 600 sh -c 'trap "" XFSZ; ulimit -f 0; exec "$@"' sh "$corunna" bench pingpong --sizes 8 \
        --csv full/figures.csv $quick 2>&1 | cat > out
    grep -q "cannot write .*full/figures.csv: " out || fail "a full disk: $(cat out)"
    [ "$(cat full/figures.csv)" = old ] && [ "$(ls full)" = figures.csv ] || fail "a full disk: what was there is gone"

    # Ranks of a job below the process wait or compute.
    runs_job() {
        pids=$1
        for level in launcher worker rank; do
            below=
            for pid in $pids; do
                below="$below $(cat "/proc/$pid/task/$pid/children" 2> /dev/null)"
            done
            pids=$below
        done
        [ -n "$(echo $pids)" ]
    }
    # ^C ends it soon, with what was measured so far, and nothing stays.
    "$corunna" bench pingpong --sizes 8 --rounds 30 --ms 2000 --agree 0 --quiet --csv figures.csv > out 2> err &
    bench=$!
    wait_until runs_job $bench || fail "no job is started: $(cat out err)"
    kill -INT $bench
    wait $bench
    [ $? = 130 ] || fail "an interrupt: status"
    grep -q "^note: interrupted" out || fail "an interrupt is not told: $(cat out)"
    ;;
esac
# Nothing of it is left.
left=$(find "$scratch" -maxdepth 1 -name 'corunna-bench.*')
[ -z "$left" ] || fail "left behind: $left"
finish
