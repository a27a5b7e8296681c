# SPDX-License-Identifier: Apache-2.0
# fort_entries.inc: the C side of every Fortran procedure that is not written by hand. A procedure without choice
# buffers has one function for all three ways to include MPI, under two names; one with choice buffers has one for
# addresses (mpif.h, module mpi) and one for descriptors (mpi_f08). fort.h has what the functions use.
#
#   awk -f functions.awk -f fort_table.awk -f fort_entries.awk kinds.tsv functions.tsv

function before(text) { BEFORE = BEFORE "    " text "\n" }
function after(text) { AFTER = AFTER "    " text "\n" }
function on_success(text) { DONE = DONE "        " text "\n" }

# The name in C, without mpi_: those of mpi_f08 end with _f08 or _f08ts in Fortran (macros of fort.h).
function entry_name(i, is_large) { return tolower(substr(name[i], 5)) (is_large ? "_c" : "") }

function c_parameter(i, j, is_large, is_described) {
    if (is_described && (is_choice(i, j) || is_text(i, j)))
        return "CFI_cdesc_t *" parameter[i, j]
    return element_type(i, j, is_large) " *" parameter[i, j]
}

function c_parameters(i, is_large, is_described,    j, text, lengths) {
    for (j = 1; j <= COUNT[i]; j++)
        if (is_argument(i, j, is_large)) {
            text = text c_parameter(i, j, is_large, is_described) ", "
            if (is_text(i, j) && !is_described)
                lengths = lengths ", size_t " parameter[i, j] "_length"
        }
    return "(" text "int *ierror" lengths ")"
}

# The length of an array that the standard does not name; 0 if the call ignores the array, which then may be shorter.
function open_length(i, j,    comm) {
    if (kind[i, j] == "datatype") {
        if (tolower(name[i]) ~ /neighbor/)
            return "fort_neighbours(*comm, " (parameter[i, j] ~ /^send/ ? 1 : 0) ")"
        if (parameter[i, j] == "sendtypes")
            return "(fort_is_in_place(sendbuf" (IS_DESCRIBED ? "->base_addr" : "") ") ? 0 : fort_peers(*comm))"
        return "fort_peers(*comm)"
    }
    if (kind[i, j] == "logical")
        return "fort_dimensions(*comm)"
    fail(name[i] ": " parameter[i, j] ": its length is not known")
}

function array_length(i, j) {
    if (extent[i, j] == "*")
        return open_length(i, j)
    return extent[i, j] ~ /^[0-9]+$/ || extent[i, j] ~ /^MPI_/ ? extent[i, j] : "*" extent[i, j]
}

# Does this function leave its request behind while the operation goes on, or may begin again and again?
function is_started(i) { return find_kind(i, "request", "out") }
function is_persistent(i) { return name[i] ~ /_init$/ && is_started(i) }

# ---- handles -------------------------------------------------------------------------------------------------------

function to_c(what, value) { return "PMPI_" handle_name[what] "_fromint(" value ")" }
function to_fortran(what, value) { return "PMPI_" handle_name[what] "_toint(" value ")" }
function c_handle(what) { return what == "datatype" ? "MPI_Datatype" : "MPI_" handle_name[what] }

function pass_handle(i, j,    what, x) {
    what = kind[i, j]
    x = parameter[i, j]
    if (extent[i, j] != "")
        return pass_handles(i, j)
    if (way[i, j] == "in" && !has(marks[i, j], "pointer"))
        return to_c(what, "*" x)
    before(c_handle(what) " " x "_c = " (way[i, j] == "out" ? "MPI_" toupper(what) "_NULL" : to_c(what, "*" x)) ";")
    if (way[i, j] == "inout" && what == "request" && name[i] ~ /^MPI_(Wait|Test)/) {
        before("fort_later *taken = fort_take(" x ", 1);")
        after("fort_finish(" x ", " x "_c, &taken);")
        after("fort_give_back(taken);")
    } else if (way[i, j] == "inout")
        after("*" x " = " to_fortran(what, x "_c") ";")
    else if (way[i, j] == "out")
        on_success("*" x " = " to_fortran(what, x "_c") ";")
    return "&" x "_c"
}

function pass_handles(i, j,    what, x, count) {
    what = kind[i, j]
    x = parameter[i, j]
    before("size_t " x "_count = fort_count(" array_length(i, j) ");")
    before(c_handle(what) " " x "_few[FORT_FEW];")
    # The standard lets the library read these until the operation is complete.
    if (is_started(i))
        before(c_handle(what) " *" x "_c = fort_room(NULL, 0, " x "_count, sizeof *" x "_c);")
    else
        before(c_handle(what) " *" x "_c = fort_room(" x "_few, FORT_FEW, " x "_count, sizeof *" x "_c);")
    if (way[i, j] != "out") {
        before("for (size_t i = 0; i < " x "_count; i++)")
        before("    " x "_c[i] = " to_c(what, x "[i]") ";")
    }
    if (way[i, j] == "inout" && name[i] ~ /^MPI_(Wait|Test)/) {
        before("fort_later *taken = fort_take(" x ", " x "_count);")
        after("for (size_t i = 0; i < " x "_count; i++)")
        after("    fort_finish(&" x "[i], " x "_c[i], &taken);")
        after("fort_give_back(taken);")
    } else if (way[i, j] == "inout") {
        after("for (size_t i = 0; i < " x "_count; i++)")
        after("    " x "[i] = " to_fortran(what, x "_c[i]") ";")
    } else if (way[i, j] == "out") { # of datatypes in contents: as many as there are
        before("for (size_t i = 0; i < " x "_count; i++)")
        before("    " x "_c[i] = MPI_" toupper(what) "_NULL;")
        on_success("for (size_t i = 0; i < " x "_count; i++)")
        on_success("    if (" x "_c[i] != MPI_" toupper(what) "_NULL)")
        on_success("        " x "[i] = " to_fortran(what, x "_c[i]") ";")
    }
    if (is_started(i)) {
        before("(void)" x "_few;")
        after("fort_later_free(&later, " x "_c);")
        needs_later = 1
    } else
        after("fort_room_free(" x "_few, " x "_c);")
    return x "_c"
}

# ---- buffers that are described ------------------------------------------------------------------------------------

function following(i, j, pattern,    k) {
    for (k = j + 1; k <= COUNT[i]; k++)
        if (kind[i, k] ~ pattern)
            return k
    return 0
}

# How the elements of a section are used: as one message, as blocks at displacements, or only in one piece.
function section_use(i, j, count, type) {
    if (extent[i, type] != "")
        return "FORT_COPIED"
    if (section[i] ~ /^(collective)/) {
        if (find_kind(i, "op", "in"))
            return "FORT_COPIED"
        if (tolower(name[i]) ~ /bcast/ || extent[i, count] == "" && \
            (name[i] ~ /[gG]ather/ && parameter[i, j] == "sendbuf" || \
             name[i] ~ /[sS]catter/ && parameter[i, j] == "recvbuf"))
            return "FORT_WHOLE"
        return "FORT_BLOCKS"
    }
    if (name[i] == "MPI_Reduce_local")
        return "FORT_COPIED"
    return find_kind(i, "partition", "in") ? "FORT_BLOCKS" : "FORT_WHOLE"
}

# May the elements be copied, and until when?
function copy_end(i) {
    if (is_persistent(i) || find_kind(i, "win", "in") || name[i] ~ /_begin$/)
        return "FORT_NEVER"
    return is_started(i) ? "FORT_LATER" : "FORT_NOW"
}

# The argument for a choice buffer with a descriptor; its count and datatype are replaced where they are passed.
function open_section(i, j,    x, count, type, significant) {
    x = parameter[i, j]
    count = following(i, j, "^count$")
    type = following(i, j, "^datatype$")
    if (kind[i, j] != "buffer" || !count || !type) {
        if (kind[i, j] == "buffer")
            return "fort_address(" x "->base_addr)"
        before("int " x "_error = fort_check_whole(\"" name[i] "\", \"" x "\", " x ");")
        checks = checks (checks == "" ? "" : " ?: ") x "_error"
        return "fort_address(" x "->base_addr)"
    }
    significant = has(marks[i, j], "root") ? "fort_is_root(*comm, *root)" : "1"
    before("fort_section " x "_section;")
    before("int " x "_error = FORT_OPEN(&" x "_section, \"" name[i] "\", \"" x "\", " x ", " significant ",")
    before("                            " section_use(i, j, count, type) ", " copy_end(i) ", " \
           (way[i, j] == "in" ? 0 : 1) ", " (extent[i, count] == "" ? "*" parameter[i, count] : "0") ", " \
           (extent[i, type] == "" ? "*" parameter[i, type] : "0") ");")
    checks = checks (checks == "" ? "" : " ?: ") x "_error"
    if (copy_end(i) == "FORT_LATER") {
        needs_later = 1
        after("fort_close_later(&" x "_section, outcome, &later);")
    } else
        after("fort_close(&" x "_section, outcome);")
    # Reductions have one count and one datatype for two buffers, and no section changes them there.
    if (section_use(i, j, count, type) != "FORT_COPIED") {
        section_of[type] = x
        if (section_use(i, j, count, type) == "FORT_WHOLE")
            section_of[count] = x
    }
    return x "_section.base"
}

# ---- all arguments -------------------------------------------------------------------------------------------------

function pass_text(i, j, is_described,    x, room, where) {
    x = parameter[i, j]
    where = is_described ? x "->base_addr, " x "->elem_len" : x ", " x "_length"
    if (way[i, j] == "in") {
        before("fort_text " x "_text;")
        before("char *" x "_c = fort_text_in(&" x "_text, " where ", " (kind[i, j] ~ /^info_/ ? 1 : 0) ");")
        after("fort_text_free(&" x "_text);")
        return x "_c"
    }
    room = extent[i, j]
    if (room == "")
        room = name[i] ~ /nthkey/ ? "MPI_MAX_INFO_KEY" : name[i] ~ /get_view/ ? "MPI_MAX_DATAREP_STRING" : ""
    if (room !~ /^MPI_MAX/)
        fail(name[i] ": " x ": how long is it?")
    before("char " x "_c[" room "] = \"\";")
    on_success("fort_text_out(" x "_c, " where ");")
    return x "_c"
}

function pass_logical(i, j,    x) {
    x = parameter[i, j]
    if (extent[i, j] == "") {
        if (way[i, j] == "in")
            return "fort_is_true(*" x ")"
        before("int " x "_c = -1;") # written also by calls that complete a request with an error
        after("if (" x "_c != -1)")
        after("    *" x " = fort_logical(" x "_c);")
        return "&" x "_c"
    }
    before("size_t " x "_count = fort_count(" array_length(i, j) ");")
    before("int " x "_few[FORT_FEW], *" x "_c = fort_room(" x "_few, FORT_FEW, " x "_count, sizeof *" x "_c);")
    before("for (size_t i = 0; i < " x "_count; i++)")
    if (way[i, j] == "in")
        before("    " x "_c[i] = fort_is_true(" x "[i]);")
    else { # as many as the object has; the others stay
        before("    " x "_c[i] = -1;")
        on_success("for (size_t i = 0; i < " x "_count; i++)")
        on_success("    if (" x "_c[i] != -1)")
        on_success("        " x "[i] = fort_logical(" x "_c[i]);")
    }
    after("fort_room_free(" x "_few, " x "_c);")
    return x "_c"
}

# An index into an array of requests begins at 1.
function pass_index(i, j,    x) {
    x = parameter[i, j]
    if (extent[i, j] == "") {
        before("*" x " = MPI_UNDEFINED;")
        after("if (*" x " != MPI_UNDEFINED)")
        after("    ++*" x ";")
    } else {
        before("*outcount = MPI_UNDEFINED;") # negative
        after("for (int i = 0; i < *outcount; i++)")
        after("    " x "[i]++;")
    }
    return x
}

function pass(i, j, is_large, is_described,    what, x) {
    what = kind[i, j]
    x = parameter[i, j]
    if (what ~ /^(argc|argv)$/)
        return "NULL"
    if (is_described && is_choice(i, j))
        return open_section(i, j)
    if (j in section_of && what == "datatype")
        return section_of[j] "_section.type"
    if (j in section_of)
        return "(" type_of(i, j, is_large) ")" section_of[j] "_section.count"
    if (is_handle_kind(what))
        return pass_handle(i, j)
    if (is_choice(i, j))
        return "fort_address(" x ")"
    if (is_text(i, j))
        return pass_text(i, j, is_described)
    if (what == "logical")
        return pass_logical(i, j)
    if (what == "status")
        return "fort_status(" x ")"
    if (what == "index" && way[i, j] == "out" && section[i] == "point-to-point: requests")
        return pass_index(i, j)
    if (what == "weight")
        return "fort_weights(" x ")"
    if (what == "error_code" && has(marks[i, j], "optional"))
        return "fort_codes(" x ")"
    if (what == "ranges")
        return "(int(*)[3])" x
    if (what == "attribute" && way[i, j] == "in") {
        before("void *" x "_c = fort_value_create(*" x ", " (has(flags[i], "not_f08") ? 1 : 0) ");")
        after("if (outcome != MPI_SUCCESS)")
        after("    fort_value_destroy(" x "_c);")
        return x "_c"
    }
    if (what == "attribute") {
        before("void *" x "_c = NULL;")
        on_success("if (flag_c == 1)")
        on_success("    *" x " = (" element_type(i, j, 0) ")fort_attribute(*" parameter[i, j - 1] ", " x "_c);")
        return "&" x "_c"
    }
    if (what ~ /_function$/ || what == "state")
        fail(name[i] " has a callback and must be written by hand")
    if (extent[i, j] != "" || way[i, j] != "in" || what == "address")
        return x
    return "*" x
}

# A request that is found complete, but not freed.
function see_requests(i) {
    if (name[i] == "MPI_Request_get_status")
        after("if (flag_c == 1)\n        fort_see(request, 1);")
    else if (name[i] == "MPI_Request_get_status_all")
        after("if (flag_c == 1)\n        fort_see(array_of_requests, array_of_requests_count);")
    else if (name[i] == "MPI_Request_get_status_any")
        after("if (flag_c == 1 && *indx != MPI_UNDEFINED)\n        fort_see(&array_of_requests[*indx - 1], 1);")
    else if (name[i] == "MPI_Request_get_status_some")
        after("for (int i = 0; i < *outcount; i++)\n        fort_see(&array_of_requests[array_of_indices[i] - 1], 1);")
}

# ---- one function --------------------------------------------------------------------------------------------------

function put_entry(i, is_large, is_described,    j, macro, arguments, call) {
    BEFORE = AFTER = DONE = checks = ""
    needs_later = 0
    IS_DESCRIBED = is_described
    for (j in section_of)
        delete section_of[j]
    for (j = 1; j <= COUNT[i]; j++)
        if (is_there(i, j, is_large))
            arguments = arguments (arguments == "" ? "" : ", ") pass(i, j, is_large, is_described)
    see_requests(i)
    macro = is_described ? "FORT_TS" : is_large ? "FORT_F08" : "FORT_NAME"
    print "void " macro "(" entry_name(i, is_large) ")" c_parameters(i, is_large, is_described)
    print "{"
    if (needs_later)
        print "    fort_later *later = NULL;"
    if (name[i] == "MPI_Finalize")
        print "    fort_later_end();"
    if (name[i] ~ /^MPI_(Init|Init_thread|Session_init)$/)
        print "    fort_begin();"
    printf "%s", BEFORE
    call = "FORT_CALL(" substr(name[i], 5) (is_large ? "_c" : "") ")(" arguments ");"
    if (checks == "")
        print "    int outcome = " call
    else {
        print "    int outcome = " checks ";"
        print "    if (outcome == MPI_SUCCESS)"
        print "        outcome = " call
    }
    if (DONE != "")
        print "    if (outcome == MPI_SUCCESS) {\n" DONE "    }"
    printf "%s", AFTER
    if (needs_later)
        print "    fort_later_keep(outcome == MPI_SUCCESS ? request_c : MPI_REQUEST_NULL, later, " \
              (is_persistent(i) ? 1 : 0) ");"
    else if (is_started(i)) {
        print "    if (outcome == MPI_SUCCESS)"
        print "        fort_started(request_c);"
    }
    print "    FORT_RETURN(outcome);"
    print "}\n"
    if (macro == "FORT_NAME" && is_in_f08(i) && !has_choice(i))
        print "FORT_ALIAS(" entry_name(i, 0) ")\n"
}

END {
    if (failed)
        exit 1
    print "/* Made by fort_entries.awk: Fortran procedures over the functions of C. */\n"
    for (i = 1; i <= FUNCTIONS; i++) {
        if (!is_in_fortran(i) || is_by_hand(i))
            continue
        put_entry(i, 0, 0)
        if (is_in_f08(i) && has_choice(i))
            put_entry(i, 0, 1)
        if (is_in_f08(i) && large_way(i) != "")
            put_entry(i, 1, has_choice(i))
    }
}
