# SPDX-License-Identifier: Apache-2.0
# Spaces of their own (network, processes, mounts) for scripts that play several hosts, or a machine with less; sourced.
#
#   spaces_for "OPTION..." "$@"     can unshare make such spaces? Where only root may, and the script is not root, it
#                                   starts again with its arguments as root of a user space of its own. 1: they cannot
#                                   be made
#   spaces_command OPTION...        the same for one command: sets $spaces to the words to write before it
#
# Root of a user space has no more rights on the machine than its user, but may make the other kinds of spaces.
spaces_for()
{
    spaces_wanted=$1
    shift
    # shellcheck disable=SC2086
    unshare $spaces_wanted true 2> /dev/null && return 0
    [ -z "${SPACES_USER:-}" ] || return 1
    # shellcheck disable=SC2086
    unshare --user --map-root-user unshare $spaces_wanted true 2> /dev/null || return 1
    SPACES_USER=own exec unshare --user --map-root-user sh "$0" "$@"
}

spaces_command()
{
    for spaces in "unshare $*" "unshare --user --map-root-user $*"; do
        if $spaces true 2> /dev/null; then
            return 0
        fi
    done
    return 1
}
