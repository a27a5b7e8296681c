# SPDX-License-Identifier: Apache-2.0
# Turns the style and the script of a page into C strings: page.css becomes page_css.
FNR == 1 {
    name = FILENAME
    sub(/.*\//, "", name)
    gsub(/[^a-z0-9]/, "_", name)
    if (NR == 1)
        print "#include \"tools/page/page_state.h\"\n"
    else
        print "    \"\";\n"
    print "const char " name "[] ="
}
{
    gsub(/\\/, "&&")
    gsub(/"/, "\\\"")
    print "    \"" $0 "\\n\""
}
END {
    print "    \"\";"
}
