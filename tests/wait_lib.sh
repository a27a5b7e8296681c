# SPDX-License-Identifier: Apache-2.0
# How scripts wait, so that a busy machine makes them slow and never makes them fail; sourced.
#
#   wait_until COMMAND...     poll until the command succeeds; returns 1 when the patience of the test is at an end
#   patience_ms MS            print a time limit in ms: MS on a quiet machine, more where CPUs are shared
#   $forever                  seconds that a process sleeps which the test itself, or the launcher, must end
#
# A test waits for the event it needs, not for a time. A check that something happens soon passes its limit through
# patience_ms, and is loose: how soon a death is noticed is for the benchmark to say. Seconds that pass in a test are
# there only where the time itself is under test, as with a heartbeat.

forever=3600

# The processes that want a CPU, for each CPU, now or in the last minutes: 1 on a quiet machine. A check that comes at
# the end of a long test judges what was while others were at work, too. In a guest each CPU is one of the host's
# processes, of which GUEST_CROWD share a CPU (rdma_vm/guest.sh).
wait_crowd()
{
    wait_average=0 wait_before=0 wait_running=0
    # shellcheck disable=SC2034 # the other averages
    [ ! -r /proc/loadavg ] || read -r wait_average wait_before wait_rest wait_running wait_rest < /proc/loadavg
    wait_average=${wait_average%%.*} wait_before=${wait_before%%.*} wait_running=${wait_running%%/*}
    [ "$wait_average" -ge "$wait_before" ] || wait_average=$wait_before
    [ "$wait_running" -ge "$wait_average" ] || wait_running=$wait_average
    wait_cpus=$(nproc 2> /dev/null) || wait_cpus=1
    echo $(((1 + wait_running / wait_cpus) * ${GUEST_CROWD:-1}))
}

patience_ms()
{
    echo $(($1 * $(wait_crowd)))
}

# At least a minute of polls on a quiet machine; the polls themselves are slower on a busy one.
wait_until()
{
    wait_tries=0
    until "$@"; do
        wait_tries=$((wait_tries + 1))
        if [ "$wait_tries" -gt 3000 ]; then
            return 1
        fi
        sleep 0.02
    done
}
