# SPDX-License-Identifier: Apache-2.0
# A tool that wraps every function of the table, both forms of those with large counts: MPI_X counts its calls and calls
# PMPI_X. pmpi_wrap.h is what it uses and offers.
#
#   awk -f src/mpi/functions.awk -f pmpi_wrap.awk src/mpi/kinds.tsv src/mpi/functions.tsv

function wrap(i, called, is_large,    j, type, names) {
    for (j = 1; j <= COUNT[i]; j++)
        if (is_there(i, j, is_large) && type_of(i, j, is_large) != "...")
            names = names (names == "" ? "" : ", ") parameter[i, j]
    print result_type(i) " " called declarations(i, is_large) "\n{"
    print "    wrap_enter(" wrapped ", __builtin_return_address(0));"
    print "    return P" called "(" names ");\n}\n"
    all[wrapped++] = called
}

END {
    if (failed)
        exit 1
    wrapped = 0
    print "/* Made from functions.tsv. */\n#include \"pmpi_wrap.h\"\n"
    for (i = 1; i <= FUNCTIONS; i++) {
        wrap(i, name[i], 0)
        if (has(flags[i], "large"))
            wrap(i, name[i] "_c", 1)
    }
    print "const wrap_row wrap_rows[] = {"
    for (k = 0; k < wrapped; k++)
        print "    {\"" all[k] "\", (wrap_any)" all[k] ", (wrap_any)P" all[k] "},"
    print "};\nconst int wrap_count = " wrapped ";\n_Atomic long wrap_calls[" wrapped "];"
}
