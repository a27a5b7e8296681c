# SPDX-License-Identifier: Apache-2.0
# From functions.tsv: a stub of every function that is still to do (stubs), and the list of all functions for
# function_table.c (list), one COR_MPI_FUNCTION(name, is_done) a line.
#
#   awk -v stubs=FILE -v list=FILE -f stubs.awk functions.tsv

function fail(what) {
    print FILENAME ":" FNR ": " what > "/dev/stderr"
    failed = 1
    exit 1
}

BEGIN {
    FS = "\t"
    print "/* Made from functions.tsv. Functions that are not implemented yet say so. */" > stubs
    print "#include \"mpi/face_stub.h\"" > stubs
}

/^#/ { next }

NF != 4 || $1 !~ /^(done|todo)$/ || $2 !~ /^MPI_/ { fail("expected done|todo, name, return type and parameters") }
$2 in seen { fail($2 " appears twice") }

{
    seen[$2] = 1
    print "COR_MPI_FUNCTION(" $2 ", " ($1 == "done") ")" > list
}

$1 == "todo" {
    if ($3 != "int")
        fail($2 " returns " $3 ", so it cannot return an error and must be done")
    call = "(\"" $2 "\", " count++
    if ($2 ~ /^MPI_T_/)
        body = "face_unsupported_tool" call ")" # the tool interface has no error handlers
    else if ($2 ~ /^MPI_File_/)
        body = "face_unsupported_file" call ")" # files have a handler of their own
    else if ($4 ~ /MPI_Comm comm[,)]/)
        body = "face_unsupported" call ", face_comm_find(face_get(), comm))"
    else
        body = "face_unsupported" call ", NULL)"
    print "\nCOR_API(int, " substr($2, 5) ", " $4 ")\n{\n    return " body ";\n}" > stubs
}

END {
    if (failed)
        exit 1
    print "\n_Static_assert(" count + 0 " <= 64 * FACE_STUB_WORDS, \"a bit for each stub\");" > stubs
}
