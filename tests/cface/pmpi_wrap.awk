# SPDX-License-Identifier: Apache-2.0
# A tool in C that wraps every function: each MPI_X counts its call and passes it on to PMPI_X.
#
#   awk -f src/mpi/functions.awk -f pmpi_wrap.awk src/mpi/kinds.tsv src/mpi/functions.tsv

function wrap(i, called, is_large,    type, list, names, k) {
    type = result_type(i)
    print type " " called "(" declarations(i, is_large) ")\n{"
}
