# SPDX-License-Identifier: Apache-2.0
# For scripts that run in the guest: a row is a name, a limit in seconds, which is long, since everything is emulated,
# and never below ten minutes, since the machine may be busy; settings and a command, which must end well. The limit is
# for a quiet host; with $crowd processes for a CPU of the host it is $crowd times as long. Rows without $word in their
# names are left out. $table begins their lines; $failed becomes 1 if one fails.
failed=0 crowd=${GUEST_CROWD:-1}

row() # name, seconds, settings, command
{
    name=$1 seconds=$2 settings=$3
    shift 3
    case $name in *"$word"*) ;; *) return 0 ;; esac
    [ "$seconds" -ge 600 ] || seconds=600
    seconds=$((seconds * crowd))
    began=$(date +%s)
    # shellcheck disable=SC2086
    if env $settings timeout "$seconds" "$@" > /tmp/out 2>&1; then
        echo "$table: $name: fine, $(($(date +%s) - began)) s"
    else
        echo "$table: $name: FAILED, $(($(date +%s) - began)) s"
        tail -n 20 /tmp/out
        failed=1
    fi
}
