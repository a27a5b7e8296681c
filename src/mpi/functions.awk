# SPDX-License-Identifier: Apache-2.0
# Reads kinds.tsv and functions.tsv; the programs that use it (awk -f functions.awk -f OTHER.awk) make files of them.
#
# FUNCTIONS of them have, by number i: name[i], flags[i], section[i], returned[i] (a kind, or "") and COUNT[i]
# parameters j with parameter[i, j], kind[i, j], way[i, j] (in, out, inout), extent[i, j] (of an array, or "") and
# marks[i, j], the flags. Functions with large counts are no rows: `is_large` asks for those.

function fail(what) {
    print FILENAME ":" FNR ": " what > "/dev/stderr"
    failed = 1
    exit 1
}

function has(words, word) { return index(" " words " ", " " word " ") > 0 }

# Is there a parameter j in this one of the two functions?
function is_there(i, j, is_large) { return is_large || !has(marks[i, j], "large") }

# The C type of parameter j, or of one element of it.
function type_of(i, j, is_large) {
    return is_large && large_type[kind[i, j]] != "" ? large_type[kind[i, j]] : c_type[kind[i, j]]
}

# Does its type differ between the two functions?
function is_wider(i, j) { return large_type[kind[i, j]] != "" }

# Is a pointer passed?
function is_pointer(i, j) {
    return extent[i, j] != "" || way[i, j] != "in" || c_type[kind[i, j]] ~ /\*/ || has(marks[i, j], "pointer")
}

# Parameter j as C declares it.
function declaration(i, j, is_large,    type, constant) {
    type = type_of(i, j, is_large)
    constant = way[i, j] == "in" ? "const " : ""
    if (type == "...")
        return type
    if (type ~ /@/) {
        sub(/@/, parameter[i, j], type)
        return type
    }
    if (type ~ /\*$/)
        return constant type parameter[i, j]
    if (extent[i, j] != "")
        return constant type " " parameter[i, j] "[]"
    return type (is_pointer(i, j) ? " *" : " ") parameter[i, j]
}

# All of them, as C declares them.
function declarations(i, is_large,    j, text) {
    for (j = 1; j <= COUNT[i]; j++)
        if (is_there(i, j, is_large))
            text = text (text == "" ? "" : ", ") declaration(i, j, is_large)
    return "(" (text == "" ? "void" : text) ")"
}

function result_type(i) { return returned[i] == "" ? "int" : c_type[returned[i]] }

# The number of the parameter of this kind and direction, the first one; 0: there is none.
function find_kind(i, what, direction,    j) {
    for (j = 1; j <= COUNT[i]; j++)
        if (kind[i, j] == what && way[i, j] == direction)
            return j
    return 0
}

# Every word must be one of those that are known.
function check_words(words, known,    list, k, count) {
    count = split(words, list, " ")
    for (k = 1; k <= count; k++)
        if (!has(known, list[k]) && list[k] !~ /^returns:/)
            fail("'" list[k] "' is not a flag")
}

BEGIN {
    FS = "\t"
    FUNCTION_FLAGS = "large checked early form c not_f08"
    PARAMETER_FLAGS = "async in_place large optional pointer root " \
                      "any inter intra cart graph dist_graph null real raw unchecked"
}

/^#/ { next }

FILENAME ~ /kinds.tsv$/ {
    if (NF < 2 || $1 in c_type)
        fail("expected a new kind and its C type")
    c_type[$1] = $2
    large_type[$1] = $3
    fortran_type[$1] = $4
    class_of[$1] = $5
    rule_of[$1] = $6
    next
}

$1 == "section" {
    title = $2
    next
}

$1 == "" {
    j = ++COUNT[FUNCTIONS]
    if (!($3 in c_type))
        fail("'" $3 "' is not a kind of kinds.tsv")
    if ($4 !~ /^(in|out|inout)$/)
        fail("the direction is '" $4 "', not in, out or inout")
    check_words($6, PARAMETER_FLAGS)
    parameter[FUNCTIONS, j] = $2
    kind[FUNCTIONS, j] = $3
    way[FUNCTIONS, j] = $4
    extent[FUNCTIONS, j] = $5
    marks[FUNCTIONS, j] = $6
    next
}

{
    if ($1 != "function" || $2 !~ /^MPI_[A-Z]/)
        fail("expected a function and its name")
    if ($2 in number_of)
        fail($2 " appears twice")
    check_words($3, FUNCTION_FLAGS)
    i = ++FUNCTIONS
    number_of[$2] = i
    name[i] = $2
    flags[i] = $3
    section[i] = title
    returned[i] = match($3, /returns:[a-z_]+/) ? substr($3, RSTART + 8, RLENGTH - 8) : ""
    COUNT[i] = 0
}
