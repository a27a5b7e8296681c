# SPDX-License-Identifier: Apache-2.0
# A stub of every function that is still to do (-v stubs=FILE), all functions for function_table.c, one
# COR_MPI_FUNCTION(name, is_done) a line (-v list=FILE), and done or todo with the name for tests (-v states=FILE).
#
#   awk -v stubs=FILE -v list=FILE -v states=FILE -f functions.awk -f stubs.awk kinds.tsv functions.tsv

# What a stub returns: an error through the handler of what it is called on.
function stub_body(i, called,    call, comm) {
    call = "(\"" called "\", " count++
    comm = find_kind(i, "comm", "in")
    if (comm)
        return "face_unsupported" call ", face_comm_find(face_get(), " parameter[i, comm] "))"
    return "face_unsupported" call ", NULL)"
}

function add(i, called, is_large) {
    print "COR_MPI_FUNCTION(" called ", " (state[i] == "done") ")" > list
    print state[i] "\t" called > states
    if (state[i] == "done")
        return
    if (returned[i] != "")
        fail(called " returns no error code, so it cannot return an error and must be done")
    print "\nCOR_API(int, " substr(called, 5) ", " declarations(i, is_large) ")\n{" > stubs
    print "    return " stub_body(i, called) ";\n}" > stubs
}

END {
    if (failed)
        exit 1
    print "/* Made from functions.tsv. Functions that are not implemented yet say so. */" > stubs
    print "#include \"mpi/face_stub.h\"" > stubs
    for (i = 1; i <= FUNCTIONS; i++) {
        add(i, name[i], 0)
        if (has(flags[i], "large"))
            add(i, name[i] "_c", 1)
    }
    print "\n_Static_assert(" count + 0 " <= 64 * FACE_STUB_WORDS, \"a bit for each stub\");" > stubs
}
