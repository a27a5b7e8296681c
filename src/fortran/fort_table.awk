# SPDX-License-Identifier: Apache-2.0
# What the Fortran side makes of the table of functions: shared by fort_entries.awk (C), fort_modules.awk and
# fort_header.awk (Fortran). Read after src/mpi/functions.awk.

# Functions whose C side is written by hand (fort_by_hand.inc).
BEGIN {
    BY_HAND = "MPI_Pcontrol MPI_Info_create_env MPI_Info_get MPI_Info_get_string MPI_Session_get_nth_pset " \
              "MPI_Comm_spawn MPI_Comm_spawn_multiple MPI_Comm_idup MPI_Comm_idup_with_info MPI_Op_create " \
              "MPI_Comm_create_errhandler MPI_File_create_errhandler MPI_Session_create_errhandler " \
              "MPI_Win_create_errhandler MPI_Comm_create_keyval MPI_Type_create_keyval MPI_Win_create_keyval " \
              "MPI_Keyval_create MPI_Grequest_start MPI_Register_datarep MPI_Buffer_detach MPI_Comm_detach_buffer " \
              "MPI_Session_detach_buffer MPI_Request_free"
    # The part of the name of MPI_X_toint and MPI_X_fromint.
    split("Comm Errhandler File Group Info Message Op Request Session Win", list, " ")
    for (k in list)
        handle_name[tolower(list[k])] = list[k]
    handle_name["datatype"] = "Type"
}

function is_in_fortran(i) { return !has(flags[i], "c") && name[i] !~ /^MPI_T_/ }

function is_in_f08(i) { return is_in_fortran(i) && !has(flags[i], "not_f08") }

function is_by_hand(i) { return has(BY_HAND, name[i]) || returned[i] != "" }

function is_handle_kind(what) { return what in handle_name }

# Does Fortran have parameter j?
function is_argument(i, j, is_large) {
    return is_there(i, j, is_large) && fortran_type[kind[i, j]] != "-" && \
           !(name[i] == "MPI_Info_create_env" && kind[i, j] == "strings")
}

# A buffer of any type and rank?
function is_choice(i, j) { return fortran_type[kind[i, j]] ~ /^TYPE\(\*\)/ }

# One whose procedures in mpi_f08 get descriptors, and so are BIND(C). By the standards of Fortran these may not have a
# default LOGICAL, and a program may be compiled for such a standard.
function has_choice(i,    j, is_found) {
    for (j = 1; j <= COUNT[i]; j++) {
        if (kind[i, j] == "logical")
            return 0
        if (is_choice(i, j))
            is_found = 1
    }
    return is_found
}

function is_text(i, j) { return kind[i, j] ~ /^(string|info_key|info_value|strings|string_tables)$/ }

# The type of one element of parameter j in C, without pointers; "void" for what is passed on as it is.
function element_type(i, j, is_large,    type) {
    if (kind[i, j] == "attribute")
        return has(flags[i], "not_f08") ? "int" : "MPI_Aint"
    if (kind[i, j] == "state")
        return has(flags[i], "not_f08") ? "int" : "MPI_Aint"
    if (is_handle_kind(kind[i, j]) || kind[i, j] ~ /^(status|logical|weight|level|ranges)$/)
        return "int"
    if (is_choice(i, j) || kind[i, j] == "address")
        return "void"
    if (is_text(i, j))
        return "char"
    return type_of(i, j, is_large)
}

# The kind of a number, as Fortran tells two procedures of a generic name apart.
function number_kind(i, j, is_large,    type) {
    type = element_type(i, j, is_large)
    return type == "int" ? "int" : type ~ /^MPI_(Aint|Count|Offset)$/ ? "wide" : type
}

# How the procedures with large counts are reached from Fortran: "overload" by the generic name, "name" by a name with
# _c, because only the type of a callback differs, or "" not at all, because 64 bits have them in both.
function large_way(i,    j) {
    if (!has(flags[i], "large"))
        return ""
    for (j = 1; j <= COUNT[i]; j++)
        if (has(marks[i, j], "large") || number_kind(i, j, 0) != number_kind(i, j, 1) && kind[i, j] !~ /_function$/)
            return "overload"
    for (j = 1; j <= COUNT[i]; j++)
        if (kind[i, j] ~ /_function$/)
            return "name"
    return ""
}

# Has it no ierror?
function has_error(i) { return returned[i] == "" && name[i] != "MPI_Pcontrol" }

# The name of an argument in Fortran.
function argument_name(i, j) { return parameter[i, j] == "indx" ? "index" : parameter[i, j] }

# ---- constants: from the template of mpi.h -------------------------------------------------------------------------

function from_hex(text,    k, value) {
    value = 0
    for (k = 3; k <= length(text); k++)
        value = 16 * value + index("0123456789abcdef", tolower(substr(text, k, 1))) - 1
    return value
}

function add_constant(called, type, value) {
    if (called ~ /^MPI_(T_|F_|ABI_Aint|ABI_Offset|ABI_Count)/)
        return
    if (value ~ /^0[xX]/)
        value = from_hex(value)
    else if (value ~ /^MPI_/)
        value = constant_value[value]
    # Fortran's strings have no closing zero.
    if (called ~ /^MPIX?_MAX_/)
        value--
    constant_name[++CONSTANTS] = called
    constant_type[CONSTANTS] = type
    constant_value[called] = value
}

# Handles have their type in constant_type, numbers "".
function read_constants(template,    line, part) {
    while ((getline line < template) > 0) {
        if (split(line, part, /[ \t(),]+/) < 2)
            continue
        if (line ~ /^#define MPI_[A-Z0-9_]+ +\(\(MPI_[A-Z][a-z]+\)0x[0-9a-fA-F]+\)/)
            add_constant(part[2], part[3], part[4])
        else if (line ~ /^#define MPI_[A-Z0-9_]+ +[0-9]+$/)
            add_constant(part[2], "", part[3])
        else if (line ~ /^#define MPI_[A-Z0-9_]+ +MPI_[A-Z0-9_]+$/ && part[3] in constant_value)
            add_constant(part[2], "MPI_Datatype", part[3])
        else if (line ~ /^    MPIX?_[A-Z0-9_a-z]+ = [-0-9xA-Fa-f]+,?$/)
            add_constant(part[2], "", part[4])
    }
    close(template)
}
