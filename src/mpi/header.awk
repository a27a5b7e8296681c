# SPDX-License-Identifier: Apache-2.0
# mpi.h: its template (-v template=mpi.h.in) with the prototypes of all functions, under both names, in place of
# @FUNCTIONS@.
#
#   awk -v template=FILE -f functions.awk -f header.awk kinds.tsv functions.tsv

function heading(text,    line) {
    line = "/* ---- " text " "
    while (length(line) < 116)
        line = line "-"
    print line " */\n"
}

# One prototype, in lines of 120 columns.
function prototype(type, called, arguments,    words, count, k, line, indent) {
    count = split(arguments, words, ", ")
    line = type " " called words[1]
    indent = length(type called) + 2
    for (k = 2; k <= count; k++)
        if (length(line ", " words[k] ",") <= 119)
            line = line ", " words[k]
        else {
            print line ","
            line = sprintf("%*s%s", indent, "", words[k])
        }
    print line ";"
}

function prototypes(prefix,    i) {
    for (i = 1; i <= FUNCTIONS; i++) {
        if (prefix == "" && section[i] != section[i - 1]) {
            if (i > 1)
                print ""
            heading(section[i])
        }
        prototype(result_type(i), prefix name[i], declarations(i, 0))
        if (has(flags[i], "large"))
            prototype(result_type(i), prefix name[i] "_c", declarations(i, 1))
    }
}

END {
    if (failed)
        exit 1
    while ((getline line < template) > 0)
        if (line == "@FUNCTIONS@") {
            prototypes("")
            print ""
            heading("the same functions under their second name")
            prototypes("P")
        } else
            print line
}
