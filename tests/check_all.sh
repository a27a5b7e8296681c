#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Everything there is to check, stage after stage, for hours: check_all.sh BUILD [STAGE...]. A stage that fails does not
# stop the others. A run that was interrupted goes on where it stopped: stages that have passed are left out, and of the
# tests those that have passed; unless the sources have changed since, in which case all begins anew (RESUME=yes: not
# even then).
#
# BUILD/nightly has the log of each stage. The summary stands at the end and in BUILD/nightly/summary.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1
shift

# Name, and what is run.
stages="
tests       cmake/setup.sh all && make all tests-all && tests/run.sh nightly $build
format      make check-format
asan        make check-asan
tsan        make check-tsan
rdma        make check-rdma
apps        make check-apps
sockets     make check-sockets
fuzz        make fuzz MINUTES=${MINUTES:-20}
cross       make check-$(case $(uname -m) in x86_64) echo aarch64 ;; *) echo x86_64 ;; esac)
packages    make check-deb
lint        make lint
"

state=$build/nightly
mkdir -p "$state"
sources=$( (git rev-parse HEAD; git diff HEAD; git ls-files --others --exclude-standard -z |
    xargs -0 -r sha256sum) 2> /dev/null | sha256sum)
if [ "$(cat "$state/sources" 2> /dev/null)" != "$sources" ]; then
    if [ "${RESUME:-}" != yes ] && [ -e "$state/sources" ]; then
        echo "The sources have changed since the last run: all begins anew (RESUME=yes goes on)."
        rm -rf "$state" "$build/Testing/nightly.log"
        mkdir -p "$state"
    fi
    echo "$sources" > "$state/sources"
fi

trap 'echo; echo "Interrupted. The same command goes on from here."; exit 130' INT TERM
failed=0
: > "$state/summary"
while read -r name command; do
    [ -n "$name" ] || continue
    case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
    if [ -e "$state/$name.passed" ]; then
        printf '%-10s %s\n' "$name" "passed before, $(cat "$state/$name.passed")" | tee -a "$state/summary"
        continue
    fi
    echo "$name: $command"
    begin=$SECONDS
    if bash -c "$command" < /dev/null > "$state/$name.log" 2>&1; then
        echo "$((SECONDS - begin)) s" > "$state/$name.passed"
        verdict="passed, $((SECONDS - begin)) s"
    else
        verdict="FAILED, $((SECONDS - begin)) s: $state/$name.log"
        failed=$((failed + 1))
    fi
    printf '%-10s %s\n' "$name" "$verdict" | tee -a "$state/summary"
    # What ctest says of the tests, and which have failed.
    grep -E -e '^[0-9]+% tests passed|tests, or parts of tests, were skipped' \
        -e '^[[:space:]]*[0-9]+ - .* \((Failed|Timeout|SEGFAULT|Not Run)' "$state/$name.log" |
        sed 's/^ */           /' | tee -a "$state/summary"
done <<< "$stages"
echo
cat "$state/summary"
[ $failed -eq 0 ]
