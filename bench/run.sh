#!/usr/bin/env bash
# Measures Corunna beside Open MPI, MPICH and MPJ Express and prints one table; README.md tells how to read it.
# What is measured stands in rows.txt, what is printed in table.awk; this file installs, compiles and runs.
set -u -o pipefail
cd "$(dirname "$0")/.." || exit 1

usage() {
    cat <<'EOF'
usage: bench/run.sh [options]
  --rounds R       best of R rounds (5)
  --quick          two rounds, half the time for each figure
  --only PATTERN   only the rows of bench/rows.txt whose id matches this regular expression
  --ms N           milliseconds for one figure of one round (200)
  --rotate N       use N buffers in turn instead of one
  --plots DIR      draw the collectives that were measured into this folder
  --build DIR      where Corunna was built (build)
  --no-install     do not install the peers that are missing; their columns say n/a
  --no-java        leave out the Java rows
EOF
}

rounds=5 only="" budget_ms=200 rotate=1 build=build plots="" install=yes java=yes
while [ $# -gt 0 ]; do
    case $1 in
        --rounds) rounds=${2:-}; shift ;;
        --quick) rounds=2 budget_ms=100 ;;
        --only) only=${2:-}; shift ;;
        --ms) budget_ms=${2:-}; shift ;;
        --rotate) rotate=${2:-}; shift ;;
        --plots) plots=${2:-}; shift ;;
        --build) build=${2:-}; shift ;;
        --no-install) install=no ;;
        --no-java) java=no ;;
        -h | --help) usage; exit 0 ;;
        *) echo "bench: unknown option '$1'" >&2; usage >&2; exit 2 ;;
    esac
    shift || { echo "bench: the last option lacks its value" >&2; exit 2; }
done
for number in "$rounds" "$budget_ms" "$rotate"; do
    [[ $number =~ ^[1-9][0-9]*$ ]] || { echo "bench: '$number' is not a whole number above 0" >&2; exit 2; }
done
build=$(cd "$build" 2>/dev/null && pwd) || { echo "bench: there is no build folder; run 'make' first" >&2; exit 2; }

say() { printf 'bench: %s\n' "$*" >&2; }

# ---- a place of our own, and nothing left behind --------------------------------------------------------------------
work=$(mktemp -d "${TMPDIR:-/tmp}/corunna-bench.XXXXXX") || exit 1
shared=$(mktemp -d /dev/shm/corunna-bench.XXXXXX 2>/dev/null) || shared=$work
mkdir "$work/tmp"
mark="COR_BENCH_RUN=$$.$RANDOM$RANDOM"
child=""
. bench/networks.sh

# A launcher that was ended by force may leave its ranks. They all carry our mark in their environment.
end_stragglers() {
    local file pids
    pids=$(grep -lszF "$mark" /proc/[0-9]*/environ 2>/dev/null | sed 's|[^0-9]||g')
    for file in $pids; do
        kill -KILL "$file" 2>/dev/null
    done
    # MPICH's segments have a name until all ranks have opened them; only those that appeared with us and that no
    # process has mapped are ours to remove.
    for file in /dev/shm/mpich_*; do
        [ -O "$file" ] && [ "$file" -nt "$work/started" ] && ! grep -qsF "$file" /proc/[0-9]*/maps && rm -f "$file"
    done
}

clean_up() {
    trap - EXIT INT TERM HUP
    [ -n "$child" ] && kill -TERM "$child" 2>/dev/null && sleep 0.2
    end_stragglers
    networks_down
    rm -rf "$work" "$shared"
}
trap clean_up EXIT
trap 'clean_up; exit 130' INT TERM HUP
: > "$work/started"
: > "$work/raw.tsv"
: > "$work/notes"

note() { grep -qxF -- "$*" "$work/notes" || printf '%s\n' "$*" >> "$work/notes"; }

# ---- what has to run ------------------------------------------------------------------------------------------------
awk -f bench/rows.awk bench/rows.txt > "$work/rows" || exit 2
if [ "$java" = no ]; then
    grep -Ev '\| *j[a-z]*[0-9]* *\||\| *\^?(java|threads)/' "$work/rows" > "$work/rows.c"
    mv "$work/rows.c" "$work/rows"
fi
awk -v only="$only" -f bench/plan.awk "$work/rows" > "$work/plan" || exit 2
grep -q '^job' "$work/plan" || { say "no row of bench/rows.txt matches '$only'"; exit 2; }

# ---- peers ----------------------------------------------------------------------------------------------------------
missing=""
add_missing() { [ -e "$1" ] || missing="$missing $2"; }
add_missing /usr/bin/mpirun.openmpi openmpi-bin
add_missing /usr/bin/mpicc.openmpi libopenmpi-dev
add_missing /usr/bin/mpirun.mpich mpich
add_missing /usr/bin/mpicc.mpich libmpich-dev
[ "$java" = yes ] && add_missing /usr/share/mpj/lib/starter.jar libmpj-java
if [ -n "$missing" ] && [ "$install" = yes ]; then
    if [ "$(id -u)" = 0 ]; then
        as_root=""
    elif sudo -n true 2>/dev/null; then
        as_root=sudo
    else
        say "peers are missing; run this line, or add --no-install to go on without them:"
        echo "sudo apt-get install -y$missing" >&2
        exit 1
    fi
    say "installing$missing"
    # shellcheck disable=SC2086
    if ! { $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing ||
        { $as_root apt-get update &&
            $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; }; } \
        > "$work/apt.log" 2>&1; then
        say "apt-get failed: $(tail -n 1 "$work/apt.log")"
        note "not installed:$missing"
    fi
fi

# Two CPUs that are not two halves of one core.
allowed=$(awk '/^Cpus_allowed_list/ {
    n = split($2, part, ",")
    for (i = 1; i <= n; i++) {
        if (split(part[i], range, "-") == 1)
            range[2] = range[1]
        for (cpu = range[1] + 0; cpu <= range[2] + 0; cpu++)
            printf "%d ", cpu
    }
}' /proc/self/status)
siblings() { cat "/sys/devices/system/cpu/cpu$1/topology/thread_siblings_list" 2>/dev/null || echo "$1"; }
read -r cpu_a rest <<< "$allowed"
cpu_b=$cpu_a
for cpu in $rest; do
    [ "$(siblings "$cpu")" != "$(siblings "$cpu_a")" ] && cpu_b=$cpu && break
done
cores=2
if [ "$cpu_a" = "$cpu_b" ]; then
    cores=1
    note "only one core can be used; the figures of two ranks mean little"
fi

# ---- compile --------------------------------------------------------------------------------------------------------
bin=$work/bin
mkdir -p "$bin"/{corunna,openmpi,mpich,bare,java-corunna,java-mpj} "$bin/mpj/lib"
# The line of a log that tells most.
complaint() {
    grep -Ei -m 1 "error|exception|cannot|corunna|bench:|fail" "$1" || grep -v "^[[:space:]]*$" "$1" | tail -n 1
}

programs_of() { # c or java: a Java class begins with a capital
    awk -F '\t' -v java="$([ "$1" = java ] && echo 1)" \
        '$1 == "job" { sub(/ .*/, "", $3); if (($3 ~ /^[A-Z]/) == (java + 0)) print $3 }' "$work/plan" | sort -u
}
compile_c() { # system compiler
    local program
    command -v "$2" > /dev/null || { note "$1: there is no $2"; return; }
    for program in $(programs_of c); do
        "$2" -O2 -std=c11 -o "$bin/$1/$program" "bench/c/$program.c" bench/c/bench.c > "$work/log" 2>&1 ||
            note "$1: $program does not compile: $(complaint "$work/log")"
    done
}
compile_bare() {
    local program
    mkdir -p "$work/bare"
    cp bench/c/bare_socket.h "$work/bare/mpi.h"
    for program in $(awk -F '\t' '$1 == "job" && / bare:/ { print $3 }' "$work/plan" | sort -u); do
        "${CC:-cc}" -O2 -std=c11 -I "$work/bare" -o "$bin/bare/$program" "bench/c/$program.c" bench/c/bench.c \
            bench/c/bare_socket.c > "$work/log" 2>&1 ||
            note "bare: $program does not compile: $(complaint "$work/log")"
    done
}
compile_java() { # folder jar
    local program
    [ -e "$2" ] || { note "$1: there is no $2"; return; }
    javac --release 11 -nowarn -d "$bin/$1" -cp "$2" bench/java/*.java > "$work/log" 2>&1 && return
    # One that a library cannot compile does not take the others with it.
    for program in $(programs_of java); do
        javac --release 11 -nowarn -d "$bin/$1" -cp "$2" -sourcepath bench/java "bench/java/$program.java" \
            > "$work/log" 2>&1 || note "$1: $program does not compile: $(complaint "$work/log")"
    done
}

corunna=$build/bin/corunna
jar=$build/lib/corunna.jar
compile_c corunna "$build/bin/mpicc"
compile_c openmpi mpicc.openmpi
compile_c mpich mpicc.mpich
compile_bare
if ! "${CC:-cc}" -O2 -std=c11 -o "$bin/cacheline" bench/c/cacheline.c > "$work/log" 2>&1; then
    note "cacheline does not compile: $(complaint "$work/log")"
fi
if [ -n "$(programs_of java)" ]; then
    if ! command -v javac > /dev/null || ! command -v java > /dev/null; then
        note "there is no JDK; the Java rows are empty"
    else
        compile_java java-corunna "$jar"
        if [ -e /usr/share/mpj/lib/starter.jar ]; then
            # The Debian package's jars name log4j beside themselves, where it is not; a folder with both works. Links
            # would be followed back to the old place.
            if ! { cp -L /usr/share/mpj/lib/*.jar /usr/share/java/log4j-1.2.jar "$bin/mpj/lib/" &&
                cp -rL /etc/mpj "$bin/mpj/conf"; } 2> "$work/log"; then
                note "mpj: $(complaint "$work/log")"
            fi
            compile_java java-mpj "$bin/mpj/lib/mpj.jar"
        else
            note "mpj: MPJ Express is not installed"
        fi
    fi
fi

# ---- run ------------------------------------------------------------------------------------------------------------
# Runs a command with a time limit, output to $work/out and $work/err. In the background, so that ^C is heard at once.
run_limited() { # seconds command...
    local seconds=$1 status
    shift
    timeout -k 3 "$seconds" env "$mark" TMPDIR="$work/tmp" BENCH_MS="$ms" BENCH_BATCHES="$batches" \
        BENCH_ROTATE="$rotate" BENCH_CORES="$cores" MPJ_HOME="$bin/mpj" OMPI_ALLOW_RUN_AS_ROOT=1 \
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_backing_directory="$shared" "$@" \
        < /dev/null > "$work/out" 2> "$work/err" &
    child=$!
    wait "$child"
    status=$?
    child=""
    [ "$status" = 0 ] || end_stragglers
    return "$status"
}

export BENCH_CPU_A=$cpu_a BENCH_CPU_B=$cpu_b
has_networks=no
if grep -q '^job.net' "$work/plan" && networks_up; then
    has_networks=yes
fi
. bench/launch.sh

# Bytes and packets that went over the loopback interface, or over the link between the namespaces, so far.
carried() { # way
    local at=(cat) interface=lo
    [ "$1" != net ] || at=(ip netns exec "$BENCH_SPACE_A" cat) interface=veth0
    "${at[@]}" /sys/class/net/$interface/statistics/{rx,tx}_{bytes,packets} 2>/dev/null | paste -s -d ' ' |
        awk '{ printf "%.0f %.0f", $1 + $3, $2 + $4 }'
}
went_over_tcp() { # way sizes what-was-carried-before
    # shellcheck disable=SC2046,SC2086
    set -- "$2" $3 $(carried "$1")
    [ $# = 5 ] && [ $(($5 - $3)) -gt 1000 ] && [ $(($4 - $2)) -gt $((4 * (${1// / + }))) ]
}
# Half the times that a rank could have slept; a short wait may find its message.
slept() { awk -F '\t' '$1 ~ /-sleeps$/ && $3 >= 0.5 { yes = 1 } END { exit !yes }' "$work/out"; }
# Who was told to use TCP, or to sleep, and did otherwise has no figure there. Sets what to say then.
did_as_told() { # way sizes what-was-carried-before
    complaint_of_way="did not go over TCP"
    case $1 in
        tcp | net | sleep) went_over_tcp "$@" || return ;;
    esac
    complaint_of_way="did not sleep"
    [ "$1" != sleep ] || slept
}

# One program of one system in one round; not tried again after two failures or one that took the whole limit.
declare -A failures=()
run_job() { # kind program-and-its-words sizes system:rounds:percent:batches:seconds
    local system rounds_wanted percent seconds name status wanted got way=${1%%[0-9]*} before
    local -a command=()
    IFS=: read -r system rounds_wanted percent batches seconds <<< "$4"
    # The figures of a kind of its own carry that before their names.
    way=${way#j}
    way=${way#c}
    name="$system: $2, ${1##*[a-z]} ranks${way:+, $way},"
    # Who failed may try again in the next round.
    [ "$rounds_wanted" = all ] || [ "$round" -le $((rounds_wanted + ${failures[$name]:-0})) ] || return 0
    [ "${failures[$name]:-0}" -lt 2 ] || return 0
    make_command "$1" "${2%% *}" "$system" || return 0
    ms=$((budget_ms * percent / 100))
    [ "$ms" -gt 0 ] || ms=1
    before=$(carried "$way")
    # The words after the program's name and the sizes are its arguments.
    # shellcheck disable=SC2046,SC2086
    run_limited "$seconds" "${command[@]}" $(cut -s -d ' ' -f 2- <<< "$2") $3
    status=$?
    if [ "$status" = 0 ] && ! did_as_told "$way" "$3" "$before"; then
        note "$name $complaint_of_way"
        return 0
    fi
    grep -E '^[a-z0-9-]+	[0-9]+	[0-9.]+	' "$work/out" |
        awk -F '\t' -v OFS='\t' -v system_name="$system" -v way="${way:+$way-}" \
            '{ print system_name, way $1 "/" $2, $3, $4 }' > "$work/figures"
    cat "$work/figures" >> "$work/raw.tsv"
    # Not every launcher tells a crash by its status, so the figures are counted too.
    wanted=$(wc -w <<< "$3")
    got=$(cut -f 2 "$work/figures" | sed 's|.*/||' | sort -u | wc -l)
    if [ "$status" != 0 ] || [ "$got" -lt "$wanted" ]; then
        failures[$name]=$((${failures[$name]:-0} + 1))
        cat "$work/out" >> "$work/err"
        case $status in
            124 | 137)
                note "$name did not end within $seconds s"
                failures[$name]=2 ;;
            *) note "$name ended with status $status: $(complaint "$work/err")" ;;
        esac
    fi
}

started=$SECONDS
for ((round = 1; round <= rounds; round++)); do
    say "round $round of $rounds"
    if [ -x "$bin/cacheline" ] && [ "$cpu_a" != "$cpu_b" ]; then
        ms=$budget_ms batches=1
        run_limited 10 "$bin/cacheline" "$cpu_a" "$cpu_b" &&
            awk -F '\t' -v OFS='\t' '{ print "floor", $1 "/" $2, $3, $4 }' "$work/out" >> "$work/raw.tsv"
    fi
    while IFS=$'\t' read -r word kind program sizes systems; do
        [ "$word" = job ] || continue
        read -r -a list <<< "$systems"
        # Nobody is always first: the order turns by one every round.
        for ((i = 0; i < ${#list[@]}; i++)); do
            run_job "$kind" "$program" "$sizes" "${list[(i + round - 1) % ${#list[@]}]}"
        done
    done < "$work/plan"
done

# ---- report ---------------------------------------------------------------------------------------------------------
version_of() { "$@" 2>&1 | grep -Eo -m 1 '[0-9]+\.[0-9]+[0-9.]*' | head -n 1; }
machine() {
    echo "machine: $(lscpu | sed -n 's/^Model name: *//p' | head -n 1), $(nproc) CPUs ($cpu_a and $cpu_b used)," \
        "$(uname -m), Linux $(uname -r | cut -d. -f1-2)"
    echo "software: $("${CC:-cc}" --version | head -n 1); Java $(version_of java -version);" \
        "Corunna $(version_of "$corunna" --version); Open MPI $(version_of mpirun.openmpi --version);" \
        "MPICH $(version_of mpichversion); MPJ Express $(version_of grep mpjexpress.version= /etc/mpj/mpjexpress.conf)"
    echo "measured: $(date -u '+%Y-%m-%d %H:%M UTC'), best of $rounds rounds, $((SECONDS - started)) s," \
        "$budget_ms ms a figure, $rotate buffer(s) in turn${only:+, only rows matching '$only'}"
}
machine > "$work/machine"
absent=""
[ "$has_networks" = yes ] || absent=net2
awk -v tsv="$work/table.tsv" -v absent="$absent" -f bench/table.awk "$work/rows" "$work/plan" "$work/raw.tsv" \
    > "$work/table"
complete=$?
[ "$complete" -le 1 ] || exit "$complete"
{
    cat "$work/machine"
    echo
    cat "$work/table"
    [ ! -s "$work/notes" ] || sed 's/^/note: /' "$work/notes"
} > "$work/report"
cat "$work/report"
{ sed 's/^/# /' "$work/machine"; cat "$work/table.tsv"; } > "$work/latest.tsv"
# A part of the rows does not replace the last whole table.
if [ -z "$only" ] && [ "$java" = yes ]; then
    mkdir -p bench/results
    cp "$work/report" bench/results/latest.txt
    cp "$work/latest.tsv" bench/results/latest.tsv
    plots=${plots:-bench/results}
fi
if [ -n "$plots" ]; then
    mkdir -p "$plots" && awk -v folder="$plots" -f bench/plot.awk "$work/latest.tsv"
fi
[ "$complete" = 0 ] || say "some of Corunna's own figures are missing"
exit "$complete"
