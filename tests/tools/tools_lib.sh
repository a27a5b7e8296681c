# SPDX-License-Identifier: Apache-2.0
# What the tests of commands that measure and predict share, beside the launcher's: TMPDIR is the scratch folder, and no
# rules of the user count.
. "$(dirname "$0")/../launcher/launcher_lib.sh"
export TMPDIR="$scratch"
unset CORUNNA_COLL_RULES

# expect_error COMMAND SENTENCE WORDS...: the command refuses these words, and stderr has the sentence, a pattern.
expect_error() {
    command=$1 sentence=$2
    shift 2
    timeout 600 "$corunna" "$command" "$@" >out 2>err
    [ $? = 2 ] || fail "$command $*: status"
    grep -q -- "$sentence" err || fail "$command $*: expected '$sentence', got: $(cat err)"
}
