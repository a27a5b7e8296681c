# SPDX-License-Identifier: Apache-2.0
# functions.tsv to a C array: one entry a line that says done or todo.
BEGIN {
    FS = "\t"
    print "/* Made from functions.tsv; do not edit. */"
    print "#include \"tools/info/function_list.h\"\n"
    print "const cor_function cor_functions[] = {"
}
$1 == "done" || $1 == "todo" {
    printf "    {\"%s\", %d},\n", $2, $1 == "done"
    count++
    if ($3 ~ /large/) { # it has a second function with large counts
        printf "    {\"%s_c\", %d},\n", $2, $1 == "done"
        count++
    }
}
END {
    print "};\n"
    printf "const size_t cor_function_count = %d;\n", count
}
