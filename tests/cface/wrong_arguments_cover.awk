# SPDX-License-Identifier: Apache-2.0
# Is every function tried with wrong arguments?
#
#   awk -f wrong_arguments_cover.awk mpi_functions.inc wrong_arguments.c ...

BEGIN {
    # These take no argument that could be wrong, or end the process.
    split("Aint_add Aint_diff Abort Buffer_flush Finalize Free_mem Pcontrol Wtick Wtime", free, " ")
    for (i in free)
        tried["MPI_" free[i]] = 1
}

/^COR_MPI_FUNCTION/ {
    split($0, part, /[()]/)
    functions[part[2]] = 1
    next
}

# A row goes on until its semicolon.
/^ *(WRONG|CHECK)/ { is_row = 1 }

is_row {
    line = $0
    while (match(line, /MPI_[A-Z][a-z]*[A-Za-z0-9_]*/)) {
        tried[substr(line, RSTART, RLENGTH)] = 1
        line = substr(line, RSTART + RLENGTH)
    }
    if (/; *\\?$/)
        is_row = 0
}

END {
    for (name in functions) {
        count++
        # Any value is allowed where handles become numbers.
        if (!(name in tried) && name !~ /_(to|from)int$/) {
            print name " is called with wrong arguments by no test"
            missing++
        }
    }
    print count + 0 " functions, " missing + 0 " not tried with wrong arguments"
    exit !count || missing
}
