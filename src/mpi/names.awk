# SPDX-License-Identifier: Apache-2.0
# The names of all functions, one COR_MPI_FUNCTION(name) a line, for tests.
#
#   awk -f functions.awk -f names.awk kinds.tsv functions.tsv

END {
    if (failed)
        exit 1
    for (i = 1; i <= FUNCTIONS; i++) {
        print "COR_MPI_FUNCTION(" name[i] ")"
        if (has(flags[i], "large"))
            print "COR_MPI_FUNCTION(" name[i] "_c)"
    }
}
