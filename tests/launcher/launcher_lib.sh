# SPDX-License-Identifier: Apache-2.0
# What the launcher's tests share. Sourced with: corunna, probe and rank_probe as absolute paths, and a scratch folder.
# Every check counts a failure and goes on; `finish` ends the script with the verdict.
command -v wait_until >/dev/null || . "$(dirname "$0")/../wait_lib.sh"

corunna=$1
probe=$2
rank_probe=$3
bin=$(dirname "$corunna")
scratch=$(mktemp -d "${TMPDIR:-/tmp}/launcher.XXXXXX")
failures=0
hang_s=600 # seconds after which a command hangs
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
unset PMI_FD PMI_RANK PMI_SIZE PMI_PORT CORUNNA_JAR
host=$(uname -n)

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}

now_ms() {
    echo $(($(date +%s%N) / 1000000))
}

# run COMMAND...: keeps stdout in out, stderr in err, the exit status in $status and the time taken in $took ms.
run() {
    label="$*"
    started=$(now_ms)
    timeout -k 5 $hang_s "$@" >out 2>err
    status=$?
    took=$(($(now_ms) - started))
}

# wait_for_job: the same for the job in the background that $job names.
wait_for_job() {
    started=$(now_ms)
    wait "$job"
    status=$?
    took=$(($(now_ms) - started))
}

expect_status() {
    [ "$status" -eq "$1" ] || fail "$label: exit status $status instead of $1; stderr: $(head -c 300 err)"
}

# expect_sentence TEXT: stderr is this one line and nothing else.
expect_sentence() {
    [ "$(cat err)" = "$1" ] || fail "$label: stderr is \"$(head -c 400 err)\" instead of \"$1\""
}

expect_quiet() {
    [ ! -s err ] || fail "$label: stderr should be empty and is \"$(head -c 400 err)\""
}

# expect_err PATTERN: stderr is one line that matches.
expect_err() {
    [ "$(wc -l <err)" -eq 1 ] && grep -q -- "$1" err || fail "$label: stderr \"$(head -c 400 err)\" lacks \"$1\""
}

expect_out() {
    [ "$(cat out)" = "$1" ] || fail "$label: stdout is \"$(head -c 400 out)\" instead of \"$1\""
}

# expect_soon: far sooner than what hangs. How soon, is not for a test to say.
expect_soon() {
    [ "$took" -le 10000 ] || [ "$took" -le "$(patience_ms 10000)" ] ||
        fail "$label: took $took ms, at most $(patience_ms 10000) were allowed"
}

# alive MARK: how many processes have MARK, a part of one word, on their command line. The pattern comes from a file,
# so that the search does not find itself.
alive() {
    echo "$1" >mark_pattern
    grep -laFf mark_pattern /proc/[0-9]*/cmdline 2>/dev/null | wc -l
}

# asleep MARK COUNT: COUNT processes or more have MARK in their command line, and all of them sleep.
asleep() {
    awake=$(alive "$1")
    [ "$awake" -ge "$2" ] &&
        [ "$(grep -laFf mark_pattern /proc/[0-9]*/cmdline 2>/dev/null | sed 's,cmdline$,status,' |
            xargs grep -l '^State:.S' 2>/dev/null | wc -l)" -eq "$awake" ]
}

are_alive() {
    [ "$(alive "$1")" -eq "$2" ]
}

# await MARK COUNT: until exactly COUNT processes have MARK in their command line.
await() {
    wait_until are_alive "$1" "$2"
}

# await_lines FILE PATTERN [COUNT]: until so many lines of the file match, one if no number is given.
has_lines() {
    [ "$(grep -c -- "$2" "$1" 2>/dev/null)" -ge "${3:-1}" ]
}
await_lines() {
    wait_until has_lines "$@"
}

finish() {
    if [ "$failures" -ne 0 ]; then
        echo "$failures checks failed"
        exit 1
    fi
    echo "all checks passed"
    exit 0
}
