# SPDX-License-Identifier: Apache-2.0
# Rows for wrong_kinds.c: every function that is done, with each argument that has wrong values by its kind, wrong, and
# all others right. A row is WRONG(class, what the message says, call).
#
#   awk -f functions.awk -f wrong_rows.awk kinds.tsv functions.tsv

BEGIN {
    # Right values by kind; those of arrays and results follow from the type.
    split("datatype MPI_INT errhandler MPI_ERRORS_RETURN file file group world_group op MPI_SUM " \
          "win window session session " \
          "request MPI_REQUEST_NULL count 1 large_count 1 byte_count 64 pack_bytes 64 bytes 8 " \
          "win_bytes 8 displacement_unit 4 " \
          "values 1 length 1 positive 1 request_count 1 blocklength 1 string_length 1 degree 1 size 4 color 0 key 0 " \
          "keyval MPI_TAG_UB error_class MPI_ERR_OTHER error_code MPI_ERR_OTHER order MPI_ORDER_C string \"x\" " \
          "info_key \"a\" info_value \"b\" " \
          "state NULL argc 0 strings NULL string_tables NULL ranges ranges descriptor 0 typeclass MPI_TYPECLASS_REAL " \
          "memory room split MPI_COMM_TYPE_SHARED digits 4", pairs, " ")
    for (k = 1; k in pairs; k += 2)
        right[pairs[k]] = pairs[k + 1]
}

# Are all rows of this function wanted? Elsewhere an argument is wrong or right with others, and rows are by hand; so
# where it needs a request of its own sort.
function is_in_rows(i) {
    return has(flags[i], "checked") && name[i] !~ /^MPI_P(ready|arrived)/ ||
           section[i] ~ /^(collective|point-to-point: (sending|probing)|windows)/ ||
           name[i] ~ /^MPI_(Unp|P)ack/ && name[i] !~ /size/
}

function right_comm(i, j) {
    if (match(marks[i, j], /(cart|graph|dist_graph)$/))
        return substr(marks[i, j], RSTART)
    return section[i] ~ /neighbours/ ? "cart" : "MPI_COMM_WORLD"
}

function right_array(i, j, is_large,    type) {
    type = type_of(i, j, is_large)
    sub(/ \*$/, "", type)
    if (kind[i, j] == "datatype" || kind[i, j] == "request" || kind[i, j] == "info")
        return kind[i, j] "s"
    if (way[i, j] != "in")
        return type ~ /char/ ? "text" : type == "MPI_Aint" ? "aints" : type == "MPI_Count" ? "counts" : "room"
    return type == "int" ? (kind[i, j] ~ /displacement|rank|index/ ? "int_zeros" : "int_ones") : \
           type == "MPI_Count" ? (kind[i, j] ~ /displacement/ ? "count_zeros" : "count_ones") : "aint_zeros"
}

# An argument that is right.
function right_value(i, j, is_large,    what, type) {
    what = kind[i, j]
    type = type_of(i, j, is_large)
    if (what == "comm" && way[i, j] == "in")
        return right_comm(i, j)
    if (what == "info" && way[i, j] == "in" && extent[i, j] == "")
        return has(marks[i, j], "real") ? "some_info" : "MPI_INFO_NULL"
    if (what == "buffer" || what == "packed")
        return way[i, j] == "in" ? "room" : "more"
    if (what == "memory" || what == "attribute")
        return "room"
    if (what == "address")
        return "&pointer"
    if (what == "status")
        return extent[i, j] == "" ? "&status" : "statuses"
    if (what ~ /_function$/)
        return "(" substr(type, 1, length(type) - 1) ")nothing"
    if (parameter[i, j] == "datarep")
        return "\"external32\""
    if (what in right && (type ~ /@/ || way[i, j] == "in" && extent[i, j] == "" && !has(marks[i, j], "pointer")))
        return right[what]
    if (extent[i, j] != "")
        return right_array(i, j, is_large)
    if (way[i, j] == "in" && !has(marks[i, j], "pointer"))
        return type ~ /\*/ ? "room" : "0"
    if (type ~ /char/)
        return "text"
    if (what == "message")
        return "&message"
    sub(/^MPI_/, "", type)
    return "&a_" tolower(type)
}

# The call with argument `wrong` as `value`.
function call_with(i, is_large, wrong, value,    j, text) {
    for (j = 1; j <= COUNT[i]; j++)
        if (is_there(i, j, is_large))
            text = text (text == "" ? "" : ", ") (j == wrong ? value : right_value(i, j, is_large))
    return name[i] (is_large ? "_c" : "") "(" text ")"
}

function row(i, is_large, j, class, said, value) {
    print "WRONG(" class ", \"" said "\", " call_with(i, is_large, j, value) ");"
    rows++
}

# A handle: the null one and one of another kind.
function handle_rows(i, is_large, j,    what, null) {
    what = toupper(kind[i, j])
    if (!has(marks[i, j], "null") && what !~ /INFO|ERRHANDLER|REQUEST/ || has(marks[i, j], "real")) {
        null = "MPI_" what "_NULL"
        row(i, is_large, j, class_of[kind[i, j]], parameter[i, j] " is " null, null)
    }
    if (what == "DATATYPE" && !has(marks[i, j], "any"))
        row(i, is_large, j, "MPI_ERR_TYPE", parameter[i, j] " has not been committed", "uncommitted")
    if (has(marks[i, j], "inter"))
        row(i, is_large, j, "MPI_ERR_COMM", parameter[i, j] " is not an intercommunicator", "MPI_COMM_WORLD")
    if (what == "COMM" && right_comm(i, j) != "MPI_COMM_WORLD")
        row(i, is_large, j, "MPI_ERR_TOPOLOGY", parameter[i, j] " has no topology", "MPI_COMM_WORLD")
    row(i, is_large, j, class_of[kind[i, j]], parameter[i, j] " is" (what == "ERRHANDLER" ? "" : " not a"), \
        "(" c_type[kind[i, j]] ")" (what == "COMM" ? "MPI_INT" : "MPI_COMM_WORLD"))
}

function rows_of(i, is_large, j,    rule, class, said) {
    rule = rule_of[kind[i, j]]
    class = class_of[kind[i, j]]
    said = parameter[i, j] " is"
    if (has(marks[i, j], "optional") || has(marks[i, j], "unchecked"))
        return
    if (way[i, j] == "in" && extent[i, j] == "" && rule == "handle" && !has(marks[i, j], "pointer")) {
        handle_rows(i, is_large, j)
        return
    }
    if (way[i, j] == "inout" && rule == "handle" && extent[i, j] == "" && has(flags[i], "checked"))
        row(i, is_large, j, class, "*" said " MPI_" toupper(kind[i, j]) "_NULL", \
            "&null_" kind[i, j])
    # The other arguments of a call on an intercommunicator are not looked at on another one.
    if (has_intercomm(i))
        return
    if (rule == "buffer") {
        row(i, is_large, j, class, said " a NULL pointer", "NULL")
        if (!has(marks[i, j], "in_place"))
            row(i, is_large, j, class, said " MPI_IN_PLACE", "MPI_IN_PLACE")
    } else if (extent[i, j] != "" || way[i, j] != "in" || has(marks[i, j], "pointer") || rule == "present")
        row(i, is_large, j, rule == "present" ? class : "MPI_ERR_ARG", said " a NULL pointer", "NULL")
    else if (rule == "not_negative")
        row(i, is_large, j, class, said " -3", -3)
    else if (rule == "positive")
        row(i, is_large, j, class, said " 0", 0)
    else if (rule == "rank" || rule == "root")
        row(i, is_large, j, class, said " 7, but the " \
            (find_kind(i, "win", "in") ? "window" : "communicator") " has 1 rank (0)", 7)
    else if (rule == "tag")
        row(i, is_large, j, class, said " -9, but must be 0..2147483647" \
            (kind[i, j] == "tag" ? "" : " or MPI_ANY_TAG"), -9)
}

function has_intercomm(i,    j) {
    for (j = 1; j <= COUNT[i]; j++)
        if (has(marks[i, j], "inter"))
            return 1
    return 0
}

function all_rows(i, is_large,    j) {
    for (j = 1; j <= COUNT[i]; j++)
        if (is_there(i, j, is_large) && !(extent[i, j] == "*" && section[i] !~ /^collective/))
            rows_of(i, is_large, j)
}

END {
    if (failed)
        exit 1
    for (i = 1; i <= FUNCTIONS; i++)
        if (is_in_rows(i)) {
            all_rows(i, 0)
            if (has(flags[i], "large"))
                all_rows(i, 1)
        }
    if (rows < 1000)
        fail("only " rows + 0 " rows")
}
