# SPDX-License-Identifier: Apache-2.0
# What scripts share that look at what a command says; their arguments are the launcher and a program.
# Every check counts and goes on; `finish` ends the script with the verdict.
set -u
launcher=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# ends STATUS PATTERN COMMAND...: it ends so, 1 standing for any failure but a time limit's, and says so.
ends() {
    status=$1 pattern=$2
    shift 2
    timeout 600 "$@" > "$work/said" 2>&1
    got=$?
    if [ $got = 124 ]; then
        got=hang
    elif [ $got -gt 1 ]; then
        got=1
    fi
    if [ "$got" != "$status" ] || ! grep -Eq -- "$pattern" "$work/said"; then
        echo "FAILED: $*: expected $status and '$pattern', got $got and:"
        head -c 2000 "$work/said"
        failed=1
    fi
}

# finish SENTENCE: it says what is true now.
finish() {
    [ $failed = 0 ] && echo "$1"
    exit $failed
}
