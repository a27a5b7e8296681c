# SPDX-License-Identifier: Apache-2.0
# What the failure tests share; sourced. Needs $launcher and $victim.
. "$(dirname "$0")/../wait_lib.sh"

fail()
{
    echo "FAILED: $*" >&2
    exit 1
}

# go_on_alone ARGUMENT...: start the script again, with its arguments, where it has /dev/shm and /tmp to itself, so
# that there are no files of others. What it needs of /tmp, a build in it for instance, stays. Where this is
# not allowed the script goes on as it is.
go_on_alone()
{
    if [ -z "${GONE_ON_ALONE:-}" ]; then
        for way in "" "--user --map-root-user"; do
            # shellcheck disable=SC2086
            if unshare $way --mount mount -t tmpfs none /dev/shm 2> /dev/null; then
                GONE_ON_ALONE=1 exec unshare $way --mount "$0" "$@"
            fi
        done
        echo "files of other programs are seen as well: a mount space cannot be made here"
        return 0
    fi
    export TMPDIR=/tmp
    mount -t tmpfs alone /dev/shm
    mkdir /dev/shm/tmp
    mount --rbind /tmp /dev/shm/tmp
    mount -t tmpfs alone /tmp
    for path in "$0" "$@"; do
        case $path in
        /tmp/*/*)
            top=${path#/tmp/}
            top=${top%%/*}
            [ -d "/tmp/$top" ] || { mkdir "/tmp/$top" && mount --rbind "/dev/shm/tmp/$top" "/tmp/$top"; }
            ;;
        esac
    done
    umount -l /dev/shm/tmp
    rmdir /dev/shm/tmp
}

# Files that a job could leave behind, one a line: all of /dev/shm, the jobs' own folder for temporary files, and
# what bears our name in /tmp, where other programs come and go meanwhile.
list_leftovers()
{
    ls -A /dev/shm
    ls -A "$TMPDIR"
    ls -A /tmp | grep -i corunna || true
}

milliseconds()
{
    date +%s%3N
}

# Wait until a file holds a line that matches.
wait_for_line()
{
    wait_until grep -q "$2" "$1" 2> /dev/null || fail "no line '$2'; the output so far: $(cat "$1")"
}

is_gone()
{
    ! kill -0 "$1" 2> /dev/null || grep -q '^State:[[:space:]]*Z' "/proc/$1/status" 2> /dev/null
}

# Wait until none of these processes runs any more.
wait_until_gone()
{
    for pid in "$@"; do
        wait_until is_gone "$pid" || fail "process $pid still runs"
    done
}

none_has_word()
{
    ! grep -laFf "$work/word" /proc/[0-9]*/cmdline > /dev/null 2>&1
}

# Wait until no process has this word on its command line. The word comes from a file, so that the search does not find
# itself.
wait_until_none_has()
{
    echo "$1" > "$work/word"
    wait_until none_has_word || fail "a process with $1 still runs"
}

# Start a job of $1 ranks of the victim and wait until all of them run: sets $job and $pids. Output in $work/out, err.
start_victims()
{
    : > "$work/out" # not what the last one said
    "$launcher" run --timeout 600 -n "$1" "$victim" > "$work/out" 2> "$work/err" &
    job=$!
    wait_for_line "$work/out" '^ready$'
    rank=0
    while [ "$rank" -lt "$1" ]; do # ranks write on their own, so a line may come later than another rank's
        wait_for_line "$work/out" "^pid $rank [0-9]*\$"
        rank=$((rank + 1))
    done
    pids=$(sed -n 's/^pid [0-9]* \([0-9]*\)$/\1/p' "$work/out")
}
