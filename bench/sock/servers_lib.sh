# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154 # what the caller sets
# Real servers on a port of 127.0.0.1, plain or with fast sockets. To be sourced, with these set:
#
#   corunna   the command          work   a folder of the caller's, which removes it
#
# A start function takes WAY (plain, sock: below `corunna sock`, agent: by `corunna java`) and PORT, leaves the process
# in $server once it answers, and returns 1 if it does not. What the server says is in $work/NAME.WAY.log. The caller
# ends it with stop_server, or in a trap.

# The words before a command that is no Java program, and those that start a Java program.
way_words()
{
    case $1 in
        plain) echo env ;;
        sock) echo "$corunna sock" ;;
    esac
}
java_words()
{
    case $1 in
        plain) echo java ;;
        agent) echo "$corunna java" ;;
    esac
}
# A port that no process listens on now.
free_port()
{
    bash -c 'while :; do
            port=$((20000 + RANDOM % 10000))
            (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null || break
        done
        echo $port'
}
port_answers()
{
    bash -c "exec 3<> /dev/tcp/127.0.0.1/$1" 2> /dev/null
}
# await_server COMMAND...: until it succeeds, at most a minute; 1: the server has ended, or the time is over
await_server()
{
    for _ in $(seq 600); do
        kill -0 "$server" 2> /dev/null || return 1
        if "$@" > /dev/null 2>&1; then return 0; fi
        sleep 0.1
    done
    return 1
}
stop_server()
{
    kill "$1" 2> /dev/null || true
    wait "$1" 2> /dev/null || true
}

start_redis()
{
    # shellcheck disable=SC2046 # words
    $(way_words "$1") redis-server --port "$2" --bind 127.0.0.1 --save "" --appendonly no --daemonize no --dir "$work" \
        > "$work/redis.$1.log" 2>&1 &
    server=$!
    await_server redis-cli -p "$2" get nothing
}

# Two workers and a small page, /index.html.
start_nginx()
{
    site=$work/nginx.$1
    mkdir -p "$site"
    echo "a small page" > "$site/index.html"
    cat > "$site/nginx.conf" << END
daemon off; worker_processes 2; pid $site/nginx.pid; error_log $site/error.log;
$([ "$(id -u)" != 0 ] || echo "user root;")
events { worker_connections 512; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000;
  client_body_temp_path $site/a; proxy_temp_path $site/b; fastcgi_temp_path $site/c; uwsgi_temp_path $site/d;
  scgi_temp_path $site/e;
  server { listen 127.0.0.1:$2; root $site; } }
END
    # shellcheck disable=SC2046 # words
    $(way_words "$1") nginx -p "$site" -c "$site/nginx.conf" -e "$site/error.log" > "$work/nginx.$1.log" 2>&1 &
    server=$!
    await_server port_answers "$2"
}

# PostgreSQL does not run as root. Its user and database are bench and postgres.
user_words()
{
    if [ "$(id -u)" = 0 ]; then
        echo "setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME=$work"
    else
        echo env
    fi
}
as_user()
{
    # shellcheck disable=SC2046 # words
    $(user_words) "$@"
}
start_postgres()
{
    # shellcheck disable=SC2012 # names without blanks
    bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
    data=$work/postgres.$1
    [ "$(id -u)" != 0 ] || chown nobody "$work"
    [ -d "$data" ] || as_user "$bin/initdb" -D "$data" -U bench -A trust > "$work/initdb.log" 2>&1 || return 1
    # shellcheck disable=SC2046 # words
    $(user_words) $(way_words "$1") "$bin/postgres" -D "$data" -p "$2" -k "$work" -c listen_addresses=127.0.0.1 \
        -c fsync=off > "$work/postgres.$1.log" 2>&1 &
    server=$!
    await_server as_user "$bin/pg_isready" -q -h 127.0.0.1 -p "$2"
}

# HSQLDB with a database test in memory, of user SA without a password.
start_hsqldb()
{
    # shellcheck disable=SC2046 # words
    $(java_words "$1") -cp /usr/share/java/hsqldb.jar org.hsqldb.server.Server --port "$2" --address 127.0.0.1 \
        --database.0 mem:test --dbname.0 test > "$work/hsqldb.$1.log" 2>&1 &
    server=$!
    await_server port_answers "$2"
}
