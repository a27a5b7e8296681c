# SPDX-License-Identifier: Apache-2.0
# functions.tsv to a C array of names.
BEGIN {
    FS = "\t"
    print "/* Made from functions.tsv; do not edit. */"
    print "#include \"tools/info/function_list.h\"\n"
    print "const char *const cor_functions[] = {"
}
$1 == "function" {
    printf "    \"%s\",\n", $2
    count++
    if ($3 ~ /large/) { # it has a second function with large counts
        printf "    \"%s_c\",\n", $2
        count++
    }
}
END {
    print "};\n"
    printf "const size_t cor_function_count = %d;\n", count
}
