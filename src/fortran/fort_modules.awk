# SPDX-License-Identifier: Apache-2.0
# A module: its template (-v template=FILE) with what the tables have in place of lines with
#   @NUMBERS@      the constants that are numbers
#   @HANDLES@      the predefined handles, as integers or structures
#   @TYPES@, @OPERATORS@, @OPERATOR_BODIES@
#                  the types of handles, == and /= for them
#   @PRIVATE@      the functions behind == and /=, whose names belong to the program
#   @CALLBACKS@    the interfaces of error handlers and of functions of attributes
#   @PREDEFINED@   those of the latter that MPI has
#   @INTERFACES@   the procedures, under both names
# -v module=mpi makes interfaces of module mpi, -v module=f08 those of mpi_f08; header is the template of mpi.h.
#
#   awk -v module=... -v template=... -v header=mpi.h.in -f functions.awk -f fort_table.awk -f fort_modules.awk \
#       kinds.tsv functions.tsv

# One statement, in lines of 120 columns.
function put(indent, text,    line, words, count, k) {
    count = split(text, words, ", ")
    line = sprintf("%*s%s", indent, "", words[1])
    for (k = 2; k <= count; k++)
        if (length(line ", " words[k] ", &") <= 119)
            line = line ", " words[k]
        else {
            print line ", &"
            line = sprintf("%*s%s", indent + 2, "", words[k])
        }
    print line
}

function numbers(    k, kind_of) {
    for (k = 1; k <= CONSTANTS; k++)
        if (constant_type[k] == "")
            print "  integer, parameter :: " constant_name[k] " = " constant_value[constant_name[k]]
}

function handles(    k, called, type) {
    for (k = 1; k <= CONSTANTS; k++) {
        called = constant_name[k]
        type = constant_type[k]
        if (type == "")
            continue
        if (module == "mpi")
            print "  integer, parameter :: " called " = " constant_value[called]
        else
            print "  type(" type "), parameter :: " called " = " type "(" constant_value[called] ")"
    }
}

function handle_types(    k, list, count) {
    count = split("Comm Datatype Errhandler File Group Info Message Op Request Session Win", list, " ")
    for (k = 1; k <= count; k++)
        HANDLE[k] = list[k]
    return count
}

function types(    k, count) {
    count = handle_types()
    for (k = 1; k <= count; k++) {
        print "  type, bind(C) :: MPI_" HANDLE[k]
        print "    integer :: MPI_VAL"
        print "  end type"
    }
}

function operators(is_body,    k, count, pass, what) {
    count = handle_types()
    for (pass = 1; pass <= 2; pass++) {
        what = pass == 1 ? "equals" : "differs"
        if (!is_body) {
            print "  interface operator(" (pass == 1 ? "==" : "/=") ")"
            for (k = 1; k <= count; k++)
                print "    module procedure " tolower(HANDLE[k]) "_" what
            print "  end interface"
            continue
        }
        for (k = 1; k <= count; k++) {
            print "  elemental logical function " tolower(HANDLE[k]) "_" what "(a, b)"
            print "    type(MPI_" HANDLE[k] "), intent(in) :: a, b"
            print "    " tolower(HANDLE[k]) "_" what " = a%MPI_VAL " (pass == 1 ? "==" : "/=") " b%MPI_VAL"
            print "  end function"
        }
    }
}

function private_operators(    k, count) {
    count = handle_types()
    for (k = 1; k <= count; k++)
        print "  private :: " tolower(HANDLE[k]) "_equals, " tolower(HANDLE[k]) "_differs"
}

# ---- callbacks -----------------------------------------------------------------------------------------------------

function put_copy(called, type, object) {
    put(4, "subroutine " called "(" object ", keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)")
    print "      import"
    print "      type(" type ") :: " object
    print "      integer :: keyval, ierror"
    print "      integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out"
    print "      logical :: flag"
    print "    end subroutine"
}

function put_delete(called, type, object) {
    print "    subroutine " called "(" object ", keyval, attribute_val, extra_state, ierror)"
    print "      import"
    print "      type(" type ") :: " object
    print "      integer :: keyval, ierror"
    print "      integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state"
    print "    end subroutine"
}

function callbacks(    k, list) {
    split("Comm File Session Win", list, " ")
    for (k = 1; k <= 4; k++) {
        print "    subroutine MPI_" list[k] "_errhandler_function(" tolower(list[k]) ", error_code)"
        print "      import"
        print "      type(MPI_" list[k] ") :: " tolower(list[k])
        print "      integer :: error_code"
        print "    end subroutine"
    }
    put_copy("MPI_Comm_copy_attr_function", "MPI_Comm", "oldcomm")
    put_delete("MPI_Comm_delete_attr_function", "MPI_Comm", "comm")
    put_copy("MPI_Type_copy_attr_function", "MPI_Datatype", "oldtype")
    put_delete("MPI_Type_delete_attr_function", "MPI_Datatype", "datatype")
    put_copy("MPI_Win_copy_attr_function", "MPI_Win", "oldwin")
    put_delete("MPI_Win_delete_attr_function", "MPI_Win", "win")
}

function predefined(    k, list) {
    split("Comm Datatype Win", list, " ")
    for (k = 1; k <= 3; k++) {
        called = "MPI_" (k == 2 ? "TYPE" : toupper(list[k]))
        put_copy(called "_NULL_COPY_FN", "MPI_" list[k], "object")
        put_copy(called "_DUP_FN", "MPI_" list[k], "object")
        put_delete(called "_NULL_DELETE_FN", "MPI_" list[k], "object")
    }
}

# ---- interfaces ----------------------------------------------------------------------------------------------------

function is_described(i) { return module == "f08" && has_choice(i) }

# The type of parameter j in Fortran.
function fortran_type_of(i, j, is_large,    type, written) {
    written = fortran_type[kind[i, j]]
    if (kind[i, j] ~ /^(attribute|state)$/ && has(flags[i], "not_f08"))
        return "integer"
    if (written == "TYPE(C_PTR)")
        return module == "f08" ? "type(C_PTR)" : "integer(MPI_ADDRESS_KIND)"
    if (written ~ /^TYPE\(\*\)/)
        return is_described(i) ? "type(*), dimension(..)" : "type(*)"
    if (kind[i, j] == "status")
        return module == "f08" ? "type(MPI_Status)" : "integer"
    if (is_handle_kind(kind[i, j]))
        return module == "f08" ? "type(" c_type[kind[i, j]] ")" : "integer"
    if (written == "PROCEDURE") {
        type = type_of(i, j, is_large)
        sub(/ .*/, "", type)
        return module == "f08" ? "procedure(" type ")" : "external"
    }
    if (is_text(i, j))
        return "character(len=*)"
    if (kind[i, j] ~ /^(weight|ranges|level)$/)
        return "integer"
    if (written != "")
        return tolower(written)
    type = type_of(i, j, is_large)
    return type == "MPI_Aint" ? "integer(MPI_ADDRESS_KIND)" : type == "MPI_Count" ? "integer(MPI_COUNT_KIND)" : \
           type == "MPI_Offset" ? "integer(MPI_OFFSET_KIND)" : "integer"
}

# What stands behind its name.
function shape_of(i, j) {
    if (is_choice(i, j))
        return is_described(i) ? "" : "(*)"
    if (kind[i, j] == "ranges")
        return "(3, *)"
    if (kind[i, j] == "string_tables")
        return "(count, *)"
    if (kind[i, j] == "strings" || extent[i, j] != "" && !is_text(i, j))
        return kind[i, j] == "status" && module == "mpi" ? "(MPI_STATUS_SIZE, *)" : "(*)"
    if (kind[i, j] == "weight")
        return "(*)"
    return kind[i, j] == "status" && module == "mpi" ? "(MPI_STATUS_SIZE)" : ""
}

# Constants that stand for an argument that is left out are variables, and buffers that are written have no intent.
function attributes_of(i, j) {
    if (module != "f08" || fortran_type[kind[i, j]] == "PROCEDURE")
        return ""
    if (is_choice(i, j) && !is_described(i))
        return ""
    if (is_choice(i, j))
        return (way[i, j] == "in" ? ", intent(in)" : "") (has(marks[i, j], "async") ? ", asynchronous" : "")
    if (has(marks[i, j], "optional") && way[i, j] != "in" || kind[i, j] == "status" && way[i, j] == "out")
        return ""
    return ", intent(" way[i, j] ")"
}

function put_declaration(i, j, is_large,    x) {
    x = argument_name(i, j)
    if (is_choice(i, j) && !is_described(i)) {
        print "!GCC$ ATTRIBUTES NO_ARG_CHECK :: " x
        print "!DIR$ IGNORE_TKR " x
    }
    print "      " fortran_type_of(i, j, is_large) attributes_of(i, j) " :: " x shape_of(i, j)
}

# The name of the procedure itself, and its name in C where that is not made of it as the compiler does.
function specific(prefix, i, is_large,    called) {
    called = prefix name[i] (is_large ? "_c" : "")
    if (module == "f08")
        called = called (is_described(i) ? "_f08ts" : "_f08")
    return called
}

function put_procedure(prefix, i, is_large, called, has_pointers,    j, arguments, result) {
    for (j = 1; j <= COUNT[i]; j++)
        if (is_argument(i, j, is_large))
            arguments = arguments (arguments == "" ? "" : ", ") argument_name(i, j)
    if (has_error(i))
        arguments = arguments (arguments == "" ? "" : ", ") "ierror"
    result = returned[i] == "" ? "" : returned[i] == "seconds" ? "double precision" : "integer(MPI_ADDRESS_KIND)"
    put(4, (result == "" ? "subroutine" : "function") " " called "(" arguments ")" \
        (is_described(i) ? " bind(C, name=\"" tolower(called) "_\")" : ""))
    print "      import"
    for (j = 1; j <= COUNT[i]; j++)
        if (is_argument(i, j, is_large)) {
            if (has_pointers && kind[i, j] == "address")
                print "      type(C_PTR) :: " argument_name(i, j)
            else
                put_declaration(i, j, is_large)
        }
    if (has_error(i))
        print "      integer" (module == "f08" ? ", optional, intent(out)" : "") " :: ierror"
    if (result != "")
        print "      " result " :: " called
    print "    end " (result == "" ? "subroutine" : "function")
}

# In module mpi, these have a second procedure with TYPE(C_PTR).
function has_pointer_form(i) { return find_kind(i, "address", "out") && name[i] !~ /detach/ }

# In module mpi, what MPI_Buffer_detach and the like return is not the address.
function forget_addresses(    i, j) {
    for (i = 1; i <= FUNCTIONS; i++)
        for (j = 1; j <= COUNT[i]; j++)
            if (kind[i, j] == "address" && name[i] ~ /detach/)
                kind[i, j] = "memory"
}

function put_interface(prefix, i,    large) {
    if (module == "mpi") {
        print "  interface" (has_pointer_form(i) ? " " prefix name[i] : "")
        put_procedure(prefix, i, 0, prefix name[i], 0)
        if (has_pointer_form(i))
            put_procedure(prefix, i, 0, prefix name[i] "_cptr", 1)
        print "  end interface"
        return
    }
    large = large_way(i)
    print "  interface " prefix name[i]
    put_procedure(prefix, i, 0, specific(prefix, i, 0), 0)
    if (large == "overload")
        put_procedure(prefix, i, 1, specific(prefix, i, 1), 0)
    print "  end interface"
    if (large == "name") {
        print "  interface " prefix name[i] "_c"
        put_procedure(prefix, i, 1, specific(prefix, i, 1), 0)
        print "  end interface"
    }
}

function interfaces(    i, k, prefixes) {
    if (module == "mpi")
        forget_addresses()
    split(" P", prefixes, "")
    for (k = 1; k <= 2; k++)
        for (i = 1; i <= FUNCTIONS; i++)
            if (module == "mpi" ? is_in_fortran(i) : is_in_f08(i))
                put_interface(k == 1 ? "" : "P", i)
}

END {
    if (failed)
        exit 1
    read_constants(header)
    while ((getline line < template) > 0) {
        if (line == "@NUMBERS@")
            numbers()
        else if (line == "@HANDLES@")
            handles()
        else if (line == "@TYPES@")
            types()
        else if (line == "@OPERATORS@")
            operators(0)
        else if (line == "@PRIVATE@")
            private_operators()
        else if (line == "@OPERATOR_BODIES@")
            operators(1)
        else if (line == "@CALLBACKS@")
            callbacks()
        else if (line == "@PREDEFINED@")
            predefined()
        else if (line == "@INTERFACES@")
            interfaces()
        else
            print line
    }
}
