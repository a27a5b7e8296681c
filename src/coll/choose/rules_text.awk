# SPDX-License-Identifier: Apache-2.0
# Turns the rules file into a C string.
BEGIN {
    print "#include \"coll/choose/rules.h\"\n\nconst char cor_default_rules[] ="
}
{
    gsub(/\\/, "\\\\")
    gsub(/"/, "\\\"")
    print "    \"" $0 "\\n\""
}
END {
    print "    \"\";"
}
