#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which processes may read a rank's memory, where the kernel asks for permission: only the ranks of the job; and what
# helps where there is no /proc. $4 is fake_yama, which stands for that kernel, and $5 a program that sends long
# messages.
. "$(dirname "$0")/launcher_lib.sh"
yama=$4
p2p=$5
export FAKE_YAMA_LOG="$scratch/permits"

# permits SCOPE COMMAND...: what ranks do under this scope; permits has their lines.
permits() {
    : >permits
    scope=$1
    shift
    run env FAKE_YAMA_SCOPE="$scope" "$@"
    expect_status 0
}
# A rank below a shell of its own, whose parent is the launcher.
rank="echo \$PPID >>parents; env LD_PRELOAD=\"$yama\" \"$p2p\" sizes; exit \$?"

# expect_permits COUNT: so many ranks have let the process that has started them all, and no other, read their memory,
# until they ended.
expect_permits() {
    parent=$(sort -u parents)
    [ "$(awk -v p="$parent" '$2 == p' permits | wc -l)" -eq "$1" ] && [ "$(wc -l <permits)" -eq $((2 * $1)) ] &&
        [ "$(awk '$2 == 0' permits | wc -l)" -eq "$1" ] ||
        fail "$label: parent $parent, permits $(tr '\n' ';' <permits)"
}

: >parents
permits 1 "$corunna" run -n 3 --tune sm.single_copy=always sh -c "$rank"
expect_permits 3
if command -v mpiexec.hydra >/dev/null; then
    : >parents
    permits 1 env CORUNNA_SM_SINGLE_COPY=always mpiexec.hydra -n 3 sh -c "$rank"
    expect_permits 3
fi
for scope in 0 2; do
    permits $scope "$corunna" run -n 2 --tune sm.single_copy=always sh -c "$rank"
    [ ! -s permits ] || fail "$label: $(cat permits)"
done
permits 1 "$corunna" run -n 2 --tune sm.single_copy=never sh -c "$rank"
[ ! -s permits ] || fail "$label: $(cat permits)"

# Without /proc ranks cannot map each other's memory by it, and the sentence says what helps; that does help.
without="mount -t tmpfs none /proc && exec \"$p2p\" sizes"
if [ "$(id -u)" -eq 0 ] && unshare --mount sh -c 'mount -t tmpfs none /proc' 2>/dev/null; then
    run "$corunna" run -n 2 unshare --mount sh -c "$without"
    [ "$status" -ne 0 ] || fail "$label: memory is mapped without /proc"
    grep -q 'cannot open the segment of rank [01] (/proc/.*): .*; sm.segment=file does without /proc$' err ||
        fail "$label: stderr is \"$(head -c 400 err)\""
    run "$corunna" run -n 2 --tune sm.segment=file unshare --mount sh -c "$without"
    expect_status 0
fi

finish
