# SPDX-License-Identifier: Apache-2.0
# mpi_entries.h: for every function that is done a macro FACE_API_<Name>(body_, ...) that defines it and, if there is
# one, its twin with large counts, over a body that is written by hand (api.h tells how).
#
#   awk -f functions.awk -f entries.awk kinds.tsv functions.tsv

function quoted(text) { return "\"" text "\"" }

# One line of a macro.
function put(text) { print "    " text " \\" }

function put_check(condition, result) {
    put("    if (COR_UNLIKELY(" condition "))")
    put("        return " result ";")
}

# A value that breaks the rule of its kind, as an error of `at`, the communicator, window or file.
function fail_argument(sentence, j) {
    if (has(flags[i], "early")) {
        if (sentence != "negative")
            fail(name[i] ": " parameter[i, j] ": there is no sentence for it before MPI_Init")
        return "face_fail_early_negative(call, " class_of[kind[i, j]] ", " quoted(parameter[i, j]) ", " \
               parameter[i, j] ")"
    }
    return "face_fail_" sentence "(call, " at ", " class_of[kind[i, j]] ", " quoted(parameter[i, j]) ", " \
           parameter[i, j] ")"
}

# A NULL pointer.
function fail_null(j) {
    if (class_of[kind[i, j]] ~ /INFO_(KEY|VALUE)/ && way[i, j] == "in")
        return "face_fail_early(call, " class_of[kind[i, j]] ", " quoted(parameter[i, j] " is a NULL pointer") ")"
    if (has(flags[i], "early"))
        return "face_fail_early_null(call, " quoted(parameter[i, j]) ")"
    return "face_fail_null(call, " at ", " quoted(parameter[i, j]) ")"
}

# ---- handles: what they stand for goes to the body -----------------------------------------------------------------

BEGIN {
    # By kind: the type of its object, what finds one, and the beginning of the call that reports that there is none.
    object["comm"] = "face_comm *"
    finder["comm"] = "face_comm_find(face_get(), "
    object["group"] = "cor_group *"
    finder["group"] = "face_group_find(face_get(), "
    object["datatype"] = "const cor_dtype *"
    finder["datatype"] = "face_type_any("
    object["op"] = "const cor_op *"
    finder["op"] = "face_op_find("
    object["info"] = "cor_info *"
    finder["info"] = "face_info_find(face_get(), "
    object["win"] = "face_win *"
    finder["win"] = "face_win_find(face_get(), "
    object["file"] = "face_file *"
    finder["file"] = "face_file_find(face_get(), "
    object["session"] = "face_session *"
    finder["session"] = "face_session_find(face_get(), "
    finder["request"] = "face_request_is_real("
}

# The error of a handle without an object; some are those of a communicator.
function fail_handle(what, handle) {
    return "face_fail_" (what == "datatype" ? "type" : what) "(call, " \
           (what ~ /^(comm|datatype|op|info|group)$/ ? at ", " : "") quoted(handle) ", " handle ")"
}

# The null handle that this parameter may be, though there is no object; "": none.
function allowed_null(j) {
    if (has(marks[i, j], "null"))
        return "MPI_" toupper(kind[i, j]) "_NULL"
    return kind[i, j] == "info" && !has(marks[i, j], "real") ? "MPI_INFO_NULL" : ""
}

# What a communicator has to be.
function check_sort(j, found,    topology) {
    if (has(marks[i, j], "intra"))
        put_check(found "->is_inter", "face_fail_inter(call, " at ", " quoted(parameter[i, j]) ")")
    if (has(marks[i, j], "inter"))
        put_check("!" found "->is_inter", "face_fail_intra(call, " found ", " quoted(parameter[i, j]) ")")
    if (match(marks[i, j], /(cart|graph|dist_graph)$/)) {
        topology = "COR_TOPOLOGY_" toupper(substr(marks[i, j], RSTART))
        put_check("!face_has_topology(" found ", " topology ")", "face_fail_topology(call, " found ", " topology ")")
    }
}

function check_handle(j,    what, handle, found) {
    what = kind[i, j]
    handle = parameter[i, j]
    if (what == "errhandler")
        put_check("!face_errhandler_is_for(" handle ", " subject() ")",
                  "face_fail_errhandler(call, " at ", " quoted(handle) ", " handle ", " subject() ")")
    if (!(what in finder))
        return
    found = finder[what] handle ")"
    if (what == "datatype" && !has(marks[i, j], "any"))
        sub(/any/, "find", found) # committed
    if (what in object && !has(marks[i, j], "raw")) {
        put("    " object[what] handle "_found = " found ";")
        found = handle "_found"
    }
    put_check("!" found (allowed_null(j) == "" ? "" : " && " handle " != " allowed_null(j)), fail_handle(what, handle))
    if (what ~ /^(win|file|session)$/)
        at = "face_" what "_hearer(" found ")"
    else if (what == "comm" && at == "NULL")
        at = found
    if (what == "comm")
        check_sort(j, found)
}

# What an error handler of this function is for.
function subject() {
    return name[i] ~ /^MPI_File/ ? "FACE_FOR_FILE" : name[i] ~ /^MPI_Win/ ? "FACE_FOR_WIN" : \
           name[i] ~ /^MPI_Session/ ? "FACE_FOR_SESSION" : "FACE_FOR_COMM"
}

# A handle that the function may change: a pointer to one of an object that exists.
function check_changed(j,    what) {
    what = kind[i, j]
    put_check("!" parameter[i, j], fail_null(j))
    if (what in finder)
        put_check("!" finder[what] "*" parameter[i, j] ")", fail_handle(what, "*" parameter[i, j]))
}

# ---- all other arguments -------------------------------------------------------------------------------------------

# The condition under which an array has elements.
function has_elements(j,    k) {
    if (kind[i, j] == "string") # of length 0 it has an end all the same
        return ""
    for (k = 1; k <= COUNT[i]; k++)
        if (parameter[i, k] == extent[i, j])
            return parameter[i, k] " > 0 && "
    return ""
}

function check_value(j,    what, value, rule) {
    what = kind[i, j]
    value = parameter[i, j]
    rule = rule_of[what]
    if ((way[i, j] == "inout" || has(marks[i, j], "pointer")) && rule == "handle" && extent[i, j] == "")
        check_changed(j)
    else if (has(marks[i, j], "optional") || has(marks[i, j], "unchecked") || extent[i, j] == "*")
        return
    else if (extent[i, j] != "" || way[i, j] != "in" && rule != "buffer" || rule == "present")
        put_check(has_elements(j) "!" value, fail_null(j))
    else if (rule == "not_negative")
        put_check(value " < 0", fail_argument("negative", j))
    else if (rule == "positive")
        put_check(value " < 1", fail_argument("not_positive", j))
    else if ((rule == "rank" || rule == "root") && at == "NULL")
        fail(name[i] ": " value " is a rank, but of no communicator")
    else if (rule == "rank" || rule == "root")
        put_check("(unsigned)" value " >= (unsigned)" at "->size", fail_argument("rank", j))
    else if (rule == "tag")
        put_check(value " < 0", fail_argument("tag", j))
}

function is_handle(j) {
    return way[i, j] == "in" && extent[i, j] == "" && rule_of[kind[i, j]] == "handle" && !has(marks[i, j], "pointer")
}

# A communicator, window, file or session that is found tells that MPI is open.
function needs_open(    j) {
    for (j = 1; j <= COUNT[i]; j++)
        if (kind[i, j] ~ /^(comm|win|file|session)$/ && way[i, j] == "in" && !has(marks[i, j], "null") && \
            !has(marks[i, j], "unchecked"))
            return 0
    return !has(flags[i], "early")
}

function check_arguments(is_large,    j, pass) {
    # An error of files that is of no file goes to MPI_FILE_NULL.
    at = section[i] == "files" ? "face_file_hearer(NULL)" : "NULL"
    if (needs_open())
        put("    face_open(call);")
    # A window is often the last argument, and hears of the errors in all others.
    for (pass = 1; pass <= 2; pass++)
        for (j = 1; j <= COUNT[i]; j++)
            if (is_handle(j) && !has(marks[i, j], "unchecked") && (kind[i, j] == "win") == (pass == 1))
                check_handle(j)
    for (j = 1; j <= COUNT[i]; j++)
        if (is_there(i, j, is_large) && !is_handle(j))
            check_value(j)
}

# ---- the call of the body -------------------------------------------------------------------------------------------

# Is it a number that the body writes as a large one?
function is_written_wide(j) { return way[i, j] != "in" && extent[i, j] == "" && is_wider(i, j) }

function is_array_of_both(j) { return way[i, j] == "in" && extent[i, j] != "" && is_wider(i, j) }

# The argument of the body for parameter j.
function passed(j, is_large) {
    if (is_array_of_both(j))
        return "&(face_array){" quoted(parameter[i, j]) ", " parameter[i, j] ", " \
               (type_of(i, j, is_large) == "int" ? 0 : 1) "}"
    if (is_written_wide(j))
        return parameter[i, j] " ? &" parameter[i, j] "_wide : NULL"
    if (is_wider(i, j) && kind[i, j] ~ /_function$/)
        return "(void (*)(void))" parameter[i, j]
    if (has(flags[i], "checked") && !has(marks[i, j], "raw") && !has(marks[i, j], "unchecked") &&
        way[i, j] == "in" && extent[i, j] == "" && kind[i, j] in object)
        return parameter[i, j] "_found"
    return parameter[i, j]
}

# How a form of a primitive is called: its request, and the info of a persistent one, are in the form.
function way_of(called) {
    if (called ~ /_init(_c)?$/)
        return "FACE_INIT"
    return section[i] ~ /^collective/ && called ~ /^MPI_I/ ? "FACE_START" : "FACE_RUN"
}

function form(called, is_large,    how) {
    how = way_of(called)
    return "{call, " how ", " is_large ", " (how == "FACE_INIT" ? "info" : "MPI_INFO_NULL") ", " \
           (how == "FACE_RUN" ? "NULL" : "request") "}"
}

function call_body(called, is_large,    j, arguments, results, how) {
    how = has(flags[i], "form") ? way_of(called) : ""
    if (how == "")
        arguments = "call"
    else if (how == "FACE_RUN") {
        put("    static const face_form form = " form(called, is_large) ";")
        arguments = "&form"
    } else
        arguments = "&(face_form)" form(called, is_large)
    for (j = 1; j <= COUNT[i]; j++) {
        if (how == "FACE_INIT" && kind[i, j] == "info" || how ~ /START|INIT/ && kind[i, j] == "request")
            continue
        arguments = arguments ", " (is_there(i, j, is_large) ? passed(j, is_large) : is_pointer(i, j) ? "NULL" : "0")
        if (is_there(i, j, is_large) && is_written_wide(j)) {
            results = results parameter[i, j] " "
            put("    MPI_Count " parameter[i, j] "_wide = " (way[i, j] == "inout" ? \
                parameter[i, j] " ? *" parameter[i, j] " : 0" : "0") ";")
        }
    }
    if (results == "") {
        put("    return body_(" arguments ", ##__VA_ARGS__);")
        return
    }
    put("    int outcome = body_(" arguments ", ##__VA_ARGS__);")
    put("    if (outcome != MPI_SUCCESS)")
    put("        return outcome;")
    for (j = 1; j <= COUNT[i]; j++)
        if (is_there(i, j, is_large) && is_written_wide(j))
            put("    *" parameter[i, j] " = " (type_of(i, j, is_large) == "int" ? "face_to_int(" : "(") \
                parameter[i, j] "_wide);")
    put("    return MPI_SUCCESS;")
}

# A name with external linkage would be seen by tools; inside the function it is a constant array.
function entry(called, is_large) {
    put("COR_API(" result_type(i) ", " substr(called, 5) ", " declarations(i, is_large) ")")
    put("{")
    put("    static const char call[] = " quoted(called) ";")
    if (has(flags[i], "checked"))
        check_arguments(is_large)
    call_body(called, is_large)
    put("}")
}

END {
    if (failed)
        exit 1
    print "/* Made from functions.tsv and kinds.tsv: the functions of MPI over their bodies (api.h). */"
    for (i = 1; i <= FUNCTIONS; i++) {
        if (find_kind(i, "varargs", "in"))
            continue
        print "#define FACE_API_" substr(name[i], 5) "(body_, ...) \\"
        entry(name[i], 0)
        if (has(flags[i], "large"))
            entry(name[i] "_c", 1)
        print ""
    }
}
