#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Real programs on Corunna: run.sh BUILD, where BUILD is the folder Corunna was built in. README.md tells more.
set -u
build=$(cd "${1:?usage: run.sh BUILD}" && pwd) || exit 2
ranks=3
limit_s=300

missing=
[ -e /usr/share/jmodeltest/jModelTest.jar ] || missing="$missing jmodeltest"
[ -e /usr/share/prottest/prottest.jar ] || missing="$missing prottest"
if [ -n "$missing" ]; then
    if [ "$(id -u)" != 0 ]; then
        echo "check-apps: packages are missing; run: sudo apt-get install -y$missing" >&2
        exit 1
    fi
    echo "check-apps: installing$missing"
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing > /dev/null 2>&1 || {
        apt-get update -q > /dev/null &&
            DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing > /dev/null
    } || { echo "check-apps: could not install$missing" >&2; exit 1; }
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/corunna-apps.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
# The wrapper of PhyML asks /proc for the number of cores and may start it in parallel itself; one is enough here.
export PHYMLCPUS=1 PHYMLMPI=no
# What the programs leave in their temporary folder goes with ours.
mkdir "$work/tmp"
export JAVA_TOOL_OPTIONS="-Djava.io.tmpdir=$work/tmp"
failed=0

fail() { # sentence, log
    echo "check-apps: $1"
    tail -n 25 "$2" | sed 's/^/    /'
    failed=1
}

# Prints "model likelihood", best model first, out of a log; the columns differ.
likelihoods() { # program, log
    case $1 in
        jmodeltest)
            awk '/BIC MODEL SELECTION : Selection uncertainty/ { inside = 1 }
                 inside && NF >= 7 && $2 ~ /^[0-9]+\.[0-9]+$/ { print $1, $2 }
                 inside && /^-lnL:/ { exit }' "$2" ;;
        prottest)
            awk '/^Model +deltaBIC/ { inside = 1 }
                 inside && NF == 5 && $5 ~ /^[0-9]+\.[0-9]+$/ { print $1, $5 }
                 inside && /Relative importance/ { exit }' "$2" ;;
    esac
}

# The same models with the same likelihoods, and the same best one.
compare() { # program, sequential log, parallel log, number of models
    likelihoods "$1" "$2" > "$work/one"
    likelihoods "$1" "$3" > "$work/many"
    [ "$(wc -l < "$work/one")" -eq "$4" ] || { echo "the sequential run has not $4 models"; return 1; }
    awk 'NR == FNR { wanted[$1] = $2; if (FNR == 1) best = $1; count++; next }
         FNR == 1 && $1 != best { print "the best model is " $1 ", not " best; bad = 1 }
         !($1 in wanted) { print "there is a model " $1 " too many"; bad = 1; next }
         ($2 - wanted[$1]) ^ 2 > 0.05 ^ 2 { print "model " $1 " has " $2 " instead of " wanted[$1]; bad = 1 }
         { seen++ }
         END { if (seen != count) { print seen + 0 " models instead of " count; bad = 1 } exit bad }' \
        "$work/one" "$work/many"
}

# One analysis: alone, then on each device. The program is in a folder of its own, because it writes beside itself.
analyse() { # program, jar, number of models, arguments...
    program=$1 jar=$2 models=$3
    shift 3
    cd "$work/$program" || exit 1
    timeout "$limit_s" java -jar "$jar" "$@" > "$work/$program.alone" 2>&1 ||
        { fail "$program does not run alone" "$work/$program.alone"; return; }
    for device in multicore niodev; do
        log=$work/$program.$device
        CORUNNA_LOG=debug timeout "$limit_s" "$build/bin/mpjrun" -np $ranks -dev $device -jar "$jar" "$@" > "$log" 2>&1
        status=$?
        if [ $status -ne 0 ]; then
            fail "$program on $device ended with status $status" "$log"
        elif ! grep -q "rank $((ranks - 1)) of $ranks on " "$log"; then
            fail "$program on $device did not run on $ranks ranks" "$log"
        elif ! difference=$(compare "$program" "$work/$program.alone" "$log" "$models"); then
            fail "$program on $device: $difference" "$log"
        else
            best=$(sed 's/ .*//;q' "$work/many")
            echo "check-apps: $program on $ranks ranks ($device): $models models, best $best, as alone"
        fi
    done
}

mkdir "$work/jmodeltest" "$work/prottest"
mkdir "$work/jmodeltest/conf" "$work/jmodeltest/log"
cp -L /usr/share/jmodeltest/jModelTest.jar "$work/jmodeltest/"
sed "s/^\(checkpointing\|html-logging\|phyml-logging\) .*/\1 = disabled/" /etc/jmodeltest/jmodeltest.conf \
    > "$work/jmodeltest/conf/jmodeltest.conf"
cp -rL /usr/share/prottest/prottest.jar /usr/share/prottest/prottest.properties /usr/share/prottest/models \
    "$work/prottest/"
analyse jmodeltest jModelTest.jar 12 -d /usr/share/jmodeltest/example-data/aP6.phy -s 3 -i -g 4 -AIC -BIC
analyse prottest prottest.jar 6 -i /usr/share/doc/prottest/examples/COX2_PF0016/alignment -JTT -WAG -I -G -BIC -S 0 \
    -log disabled
exit $failed
