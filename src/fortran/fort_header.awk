# SPDX-License-Identifier: Apache-2.0
# mpif.h: its template (-v template=mpif.h.in) with all constants of the template of mpi.h (-v header=mpi.h.in) in place
# of @CONSTANTS@. A line ends before column 73, which is where it ends in fixed form.
#
#   awk -v template=... -v header=... -f functions.awk -f fort_table.awk -f fort_header.awk kinds.tsv functions.tsv

function put(text) {
    if (length(text) > 72)
        fail("'" text "' is longer than a line of fixed form")
    print text
}

END {
    if (failed)
        exit 1
    read_constants(header)
    while ((getline line < template) > 0) {
        if (line != "@CONSTANTS@") {
            put(line)
            continue
        }
        for (k = 1; k <= CONSTANTS; k++) {
            put("      INTEGER " constant_name[k])
            put("      PARAMETER (" constant_name[k] "=" constant_value[constant_name[k]] ")")
        }
    }
}
