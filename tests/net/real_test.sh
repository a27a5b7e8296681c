#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Real servers and clients, unmodified, with fast sockets at both ends and at one of them.
#
#   real_test.sh CORUNNA redis|nginx|postgres
set -eu
corunna=$(realpath "$1")
name=$2
case $name in
    redis) needed="redis-server redis-benchmark" ;;
    nginx) needed="nginx wrk" ;;
    postgres) needed="pgbench" ;;
esac
for command in $needed; do
    command -v "$command" > /dev/null || { echo "skipped: there is no $command; make check-all installs it"; exit 77; }
done
. "$(dirname "$0")/../wait_lib.sh"
# shellcheck source=tests/net/server_test_lib.sh
. "$(dirname "$0")/server_test_lib.sh"
# counter PID NAME: what the library has counted in a process
counter()
{
    "$corunna" sock --stats "$1" 2> /dev/null | awk -v name="$2" '$1 == name { print $2 }'
}
bench_process()
{
    pgrep -P "$bench" -x pgbench || echo "$bench"
}
bench_is_fast()
{
    count=$(counter "$(bench_process)" ring_in)
    [ "${count:-0}" -gt 10000 ]
}
left()
{
    for link in /dev/shm/corunna-sock-*; do
        [ -L "$link" ] || continue
        pid=$(readlink "$link" | cut -d/ -f3)
        kill -0 "$pid" 2> /dev/null || fail "a name is left behind: $link"
    done
}
end()
{
    stop_server "$server"
    server=
}

# ---- redis ----
redis()
{
    start_redis "$1" "$port" || fail "redis-server does not start"
    # shellcheck disable=SC2046
    $(way_words "$2") redis-benchmark -p "$port" -c 50 -n 20000 -t set,get,lpush,lrange_100 -q \
        > "$work/bench.out" 2>&1 ||
        fail "redis-benchmark"
    # Values that are longer than a ring, and what comes back.
    head -c 1000000 /dev/urandom | base64 -w 0 > "$work/value"
    # shellcheck disable=SC2046
    $(way_words "$2") redis-cli -p "$port" -x set big < "$work/value" > "$work/cli.out"
    # shellcheck disable=SC2046
    $(way_words "$2") redis-cli -p "$port" --raw get big | head -c -1 > "$work/again"
    cmp "$work/value" "$work/again" || fail "a long value came back as another"
    if [ "$1$2" = socksock ]; then
        [ "$(counter $server ring_in)" -gt 1000000 ] || fail "redis-server did not use shared memory"
    fi
    end
}

# ---- nginx ----
web()
{
    start_nginx "$1" "$port" || fail "nginx does not start"
    head -c 300000 /dev/urandom > "$site/big.bin"
    # shellcheck disable=SC2046
    $(way_words "$2") wrk -c 40 -t 2 -d 2s --timeout 600s "http://127.0.0.1:$port/index.html" > "$work/wrk.out" 2>&1 ||
        fail "wrk"
    grep -q 'requests in' "$work/wrk.out" || fail "wrk"
    ! grep -qE 'Socket errors|Non-2xx' "$work/wrk.out" || fail "wrk saw errors"
    # A file by sendfile, byte for byte.
    for _ in 1 2 3; do
        # shellcheck disable=SC2046
        $(way_words "$2") bash -c \
            "exec 3<>/dev/tcp/127.0.0.1/$port; printf 'GET /big.bin HTTP/1.0\r\n\r\n' >&3; cat <&3" |
            sed -b '1,/^\r$/d' > "$work/got.bin"
        cmp "$site/big.bin" "$work/got.bin" || fail "a file came as another"
    done
    if [ "$1$2" = socksock ]; then
        total=0
        for worker in $(pgrep -P $server); do
            count=$(counter "$worker" ring_in)
            total=$((total + ${count:-0}))
        done
        [ $total -gt 10000 ] || fail "nginx did not use shared memory"
    fi
    end
}

# ---- PostgreSQL ----
database()
{
    start_postgres "$1" "$port" || fail "PostgreSQL does not start"
    # shellcheck disable=SC2046
    as_user $(way_words "$2") pgbench -h 127.0.0.1 -p "$port" -U bench -i -s 1 -q postgres > "$work/init.out" 2>&1 ||
        fail "pgbench -i"
    # shellcheck disable=SC2046
    as_user $(way_words "$2") pgbench -h 127.0.0.1 -p "$port" -U bench -S -c 4 -j 2 -t 500 postgres \
        > "$work/pgbench.out" 2>&1 ||
        fail "pgbench"
    grep -q 'number of transactions actually processed: 2000/2000' "$work/pgbench.out" ||
        fail "transactions are missing"
    # A long result, compared with the socket that is not TCP.
    query="select string_agg(md5(i::text), '') from generate_series(1, 50000) i"
    as_user psql -h "$work" -p "$port" -U bench -d postgres -Atc "$query" > "$work/expected"
    # shellcheck disable=SC2046
    as_user $(way_words "$2") psql -h 127.0.0.1 -p "$port" -U bench -d postgres -Atc "$query" > "$work/got"
    cmp "$work/expected" "$work/got" || fail "a result came as another"
    if [ "$1$2" = socksock ]; then
        as_user "$corunna" sock pgbench -h 127.0.0.1 -p "$port" -U bench -S -c 2 -T "$forever" postgres \
            > "$work/long.out" 2>&1 &
        bench=$!
        wait_until bench_is_fast || { kill $bench; fail "pgbench did not use shared memory"; }
        kill "$(bench_process)"
        wait $bench || true
    fi
    as_user "$bin/pg_ctl" -D "$data" -m fast -w stop > "$work/stop.log" 2>&1 || fail "pg_ctl stop"
    end
}

for pair in "sock sock" "sock plain" "plain sock"; do
    echo "server and client: $pair"
    port=$(free_port)
    # shellcheck disable=SC2086
    case $name in
        redis) redis $pair ;;
        nginx) web $pair ;;
        postgres) database $pair ;;
    esac
    left
done
echo "$name runs as it does plain"
