#!/bin/sh
# A job whose ranks are not all on one node, on one machine: ranks 0 and 1 share a space of process ids, each of the
# others has one of its own, so that it can share no memory with anybody.
#
#   apart.sh LAUNCHER RANKS PROGRAM [ARGUMENT...]   start it
#   apart.sh --rank PROGRAM [ARGUMENT...]           what the launcher starts
set -eu
if [ "$1" = --rank ]; then
    shift
    [ "${PMI_RANK:-0}" -lt 2 ] || exec unshare --pid --fork --kill-child --mount-proc -- "$@"
    exec "$@"
fi
if ! unshare --pid --fork --mount-proc true 2> /dev/null; then
    echo "skipped: a space of process ids cannot be made here, which takes root"
    exit 77
fi
launcher=$1
ranks=$2
shift 2
exec "$launcher" run --timeout 110 -n "$ranks" "$0" --rank "$@"
