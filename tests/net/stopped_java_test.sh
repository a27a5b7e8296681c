#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A read with a time-out ends, also when its process is stopped and goes on again and again: each time the kernel
# interrupts the call.
#
#   stopped_java_test.sh JAVA JAR CLASSES
set -eu
java=$1
jar=$2
classes=$3
. "$(dirname "$0")/../wait_lib.sh"
limit_s=$(($(patience_ms 30000) / 1000)) # for a time-out of 5 seconds
# shellcheck source=tests/net/server_test_lib.sh
. "$(dirname "$0")/server_test_lib.sh" # $work, and fail
is_reading()
{
    grep -q reading "$work/words" || ! kill -0 "$server" 2> /dev/null
}

# Each thread has left its call by then.
is_stopped()
{
    grep -q '^State:[[:space:]]*[TZ]' "/proc/$server/status"
}

for way in "" "-javaagent:$jar"; do
    echo "a JVM that is stopped, ${way:-plain}"
    : > "$work/words"
    # shellcheck disable=SC2086 # no word, if it is empty
    "$java" $way -XX:+UseSerialGC -cp "$classes" stopped.Stopped > "$work/words" 2> "$work/reader.log" &
    server=$!
    wait_until is_reading || fail "the read does not begin"
    end=$(($(date +%s) + limit_s))
    until grep -q 'timed out' "$work/words"; do
        kill -STOP "$server"
        wait_until is_stopped || fail "it does not stop"
        kill -CONT "$server"
        [ "$(date +%s)" -lt "$end" ] || fail "the read has not timed out"
        sleep 0.1
    done
    wait "$server" || fail "the reader"
    server=
done
