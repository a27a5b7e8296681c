# SPDX-License-Identifier: Apache-2.0
# Do the facts of the table of functions fit together? All 664 functions are there, kinds that have a rule have an error
# class, every kind is used and has a Fortran type, and the length of an array is a parameter, a constant or unknown.
#
#   awk -f functions.awk -f table_facts.awk kinds.tsv functions.tsv

function wrong(what) {
    print what
    count_wrong++
}

# The Fortran type that follows from a C type; "": none does.
function fortran_of(type) {
    if (type == "int")
        return "INTEGER"
    if (type ~ /^MPI_(Aint|Count|Offset)$/)
        return "INTEGER(KIND=" toupper(type == "MPI_Aint" ? "MPI_ADDRESS" : type) "_KIND)"
    return type ~ /^MPI_[A-Z][a-z]+$/ ? "TYPE(" type ")" : ""
}

function check_length(i, j,    k) {
    if (extent[i, j] == "" || extent[i, j] == "*" || extent[i, j] ~ /^MPI_MAX_/)
        return
    for (k = 1; k <= COUNT[i]; k++)
        if (parameter[i, k] == extent[i, j])
            return
    wrong(name[i] ": the length of " parameter[i, j] " is " extent[i, j] ", which is no parameter")
}

END {
    if (failed)
        exit 1
    for (i = 1; i <= FUNCTIONS; i++) {
        functions += 1 + has(flags[i], "large")
        if (returned[i] != "")
            is_used[returned[i]] = 1
        for (j = 1; j <= COUNT[i]; j++) {
            is_used[kind[i, j]] = 1
            check_length(i, j)
        }
    }
    for (k in c_type) {
        if (!(k in is_used))
            wrong("kind " k " is of no parameter")
        if ((rule_of[k] == "") != (class_of[k] == ""))
            wrong("kind " k " has a rule or an error class, but not both")
        if (fortran_type[k] == "" && fortran_of(c_type[k]) == "")
            wrong("kind " k " has no Fortran type")
    }
    if (functions != 664)
        wrong("the table has " functions " functions, not 664")
    print functions " functions, " count_wrong + 0 " facts that do not fit"
    exit count_wrong > 0
}
