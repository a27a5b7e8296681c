#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Suites that others have written for their sockets, plain and below `corunna sock`: each test must end as it does
# plain. For an hour or so.
#
#   suites.sh BUILD [SUITE [PART...]]
#
#   python   the tests of CPython's modules for sockets, and of those that stand on them: Debian's
#            libpython3.N-testsuite
#   libuv    the tests of the library beneath Node.js: from Debian's source package, built here; in a network namespace
#            of its own, for which this must be root
#   redis    redis' own tests, in Tcl: from Debian's source package, for redis-server as it is installed
#
# BUILD/sockets has results and logs. suites_known.txt lists the tests that must differ, and why. A suite that is not to
# be had is skipped with a word.
set -u
build=$(realpath "$1")
suite=${2:-}
shift $(($# < 2 ? $# : 2))
# shellcheck disable=SC2034 # for suites_lib.sh
corunna=$build/bin/corunna
here=$(dirname "$(realpath "$0")")
# shellcheck disable=SC2034
known=$here/suites_known.txt
out=$build/sockets
work=$(mktemp -d /tmp/corunna-suites.XXXXXX)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
export CORUNNA_LOG=error # programs' words are compared
# shellcheck source=tests/net/suites_lib.sh
. "$here/suites_lib.sh"

limit_s=3600 # ends what hangs

# ---- CPython ---------------------------------------------------------------------------------------------------------
python_parts="test_socket test_select test_poll test_epoll test_selectors test_asyncore test_asynchat test_socketserver
    test_asyncio test_ssl test_httplib test_httpservers test_urllib2_localnet test_xmlrpc test_docxmlrpc test_wsgiref
    test_ftplib test_smtplib test_poplib test_imaplib test_nntplib test_telnetlib test_logging test_signal
    test_subprocess test_multiprocessing_spawn"

find_python()
{
    for python in /usr/bin/python3 python3; do
        if $python -c 'import test.test_socket' > /dev/null 2>&1; then return 0; fi
    done
    return 1
}
# Newer versions lack some modules.
list_python()
{
    for part in $python_parts; do
        if $python -c "import importlib.util as u; exit(not u.find_spec('test.$part'))"; then echo "$part"; fi
    done
}
# Nothing but this host is asked: the one module that wants the network for that has it. AF_VSOCK waits for a
# hypervisor.
run_python()
{
    local part=$1 results=$2 use=none
    shift 2
    [ "$part" != test_socketserver ] || use=network
    rm -f "$work/junit.xml"
    timeout -k 10 $limit_s "$@" "$python" -m test -v -u "$use" --timeout 1200 -i '*VSOCK*' \
        --junit-xml "$work/junit.xml" "$part"
    $python - "$work/junit.xml" > "$results" << 'EOF'
import sys
import xml.etree.ElementTree as tree
for case in tree.parse(sys.argv[1]).iter("testcase"):
    kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
    print(case.get("name").split("\n")[0], kinds[0] if kinds else "ok", sep="\t")
EOF
}

# ---- source packages
# ----------------------------------------------------------------------------------------------------- The sources of a
# Debian package, in $out/src: from where this machine has its packages from, which itself stays as it is.
fetch_source()
{
    local apt=$out/src/apt file
    command -v apt-get > /dev/null || return 1
    mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        [ -r "$file" ] || continue
        case $file in
            *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" > "$apt/parts/$(basename "$file")" ;;
            *.list) sed -n 's/^deb /deb-src /p' "$file" > "$apt/parts/$(basename "$file")" ;;
        esac
    done
    set -- -qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$apt/parts" \
        -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User="$(id -un)" "$1"
    apt-get "${@:1:$#-1}" update > "$out/src/update.log" 2>&1
    (cd "$out/src" && apt-get "${@:1:$#-1}" source --download-only "${*: -1}") > "$out/src/source.log" 2>&1
}
# unpack PACKAGE FOLDER: its sources, fetched if need be, in $out/FOLDER
unpack()
{
    compgen -G "$out/src/$1_*.orig.tar.*" > /dev/null || fetch_source "$1" || return 1
    rm -rf "${out:?}/$2"
    mkdir -p "$out/$2"
    tar xf "$(compgen -G "$out/src/$1_*.orig.tar.*" | tail -1)" -C "$out/$2" --strip-components=1
}

# ---- libuv -----------------------------------------------------------------------------------------------------------
find_libuv()
{
    unshare -n ip link set lo up 2> /dev/null && unpack libuv1 libuv || return 1
    cmake -G Ninja -DCMAKE_BUILD_TYPE=Debug -S "$out/libuv" -B "$out/libuv/build" > "$out/libuv.build.log" 2>&1 &&
        cmake --build "$out/libuv/build" --target uv_run_tests >> "$out/libuv.build.log" 2>&1
}
list_libuv()
{
    echo all
}
# Some ask for hosts that are not there: from a namespace that has no other network.
run_libuv()
{
    local results=$2
    shift 2
    cd "$out/libuv" || return
    # shellcheck disable=SC2016 # what the inner shell expands
    UV_RUN_AS_ROOT=1 timeout -k 10 $limit_s unshare -n sh -c 'ip link set lo up && exec "$@"' sh "$@" \
        build/uv_run_tests |
        tee "$results.out"
    sed -nE 's/^(ok|not ok) [0-9]+ - ([A-Za-z0-9_]+).*/\2\t\1/p' "$results.out" > "$results"
}

# ---- redis -----------------------------------------------------------------------------------------------------------
redis_parts="protocol networking querybuf obuf-limits client-eviction pubsub multi introspection pause tracking
    replybufsize quit limits type/list type/stream replication block-repl redis-cli redis-benchmark"

find_redis()
{
    local program
    command -v tclsh > /dev/null && command -v redis-server > /dev/null || return 1
    unpack redis redis || return 1
    for program in server cli benchmark check-aof check-rdb; do
        ln -s "$(command -v redis-$program)" "$out/redis/src/redis-$program" || return 1
    done
}
list_redis()
{
    for part in $redis_parts; do
        for folder in unit integration; do
            [ ! -e "$out/redis/tests/$folder/$part.tcl" ] || echo "$folder/$part" | tr / :
        done
    done
}
run_redis()
{
    local part=$1 results=$2
    shift 2
    cd "$out/redis" || return
    timeout -k 10 $limit_s "$@" tclsh tests/test_helper.tcl --clients 1 --single "${part//://}" > "$results.out" 2>&1
    sed -e 's/\x1b\[[0-9;]*m//g' -e 's/ ([0-9]* [a-z]*)$//' -n -e 's/^\[ok\]: \(.*\)/\1\tok/p' \
        -e 's/^\[err\]: \(.*\) in tests.*/\1\terr/p' -e 's/^\[exception\].*/exception\texception/p' "$results.out" \
        > "$results"
    cat "$results.out"
}

# ---- all -------------------------------------------------------------------------------------------------------------
for one in ${suite:-python libuv redis}; do
    if ! "find_$one"; then
        echo "skipped: $one: its suite is not here, and cannot be had"
        continue
    fi
    parts=$*
    for part in ${parts:-$("list_$one")}; do
        suites_part "$one" "$part"
    done
done
echo "$suites_tests tests of others, $suites_differ with fast sockets unlike plain"
[ "$suites_differ" -eq 0 ] && [ "$suites_tests" -gt 0 ]
