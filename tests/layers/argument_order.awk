# SPDX-License-Identifier: Apache-2.0
# Tell every call with an argument that the making of another one writes, as in f(g(&x), x). C leaves open which of the
# two comes first, and compilers for different processors choose differently.

function told(name)
{
    gsub(/[ \t]+/, " ", statement)
    print FILENAME ":" first ": " name " is written for one argument and read for another:" substr(statement, 1, 160)
    wrong++
}

# Does the text read the variable? Its size and its address it may ask for.
function reads(text, name)
{
    text = " " text " "
    gsub("sizeof[ (]+" name "[^A-Za-z0-9_]", " ", text)
    return text ~ ("[^A-Za-z0-9_.>&]" name "[^A-Za-z0-9_(]")
}

# The arguments of one call, without its brackets.
function arguments(text,    i, k, letter, depth, count, list, rest, name)
{
    count = 1
    for (i = 1; i <= length(text); i++) {
        letter = substr(text, i, 1)
        depth += letter ~ /[(\[{]/
        depth -= letter ~ /[)\]}]/
        if (letter == "," && depth == 0)
            count++
        else
            list[count] = list[count] letter
    }
    for (i = 1; i <= count; i++) {
        if (!match(list[i], /[A-Za-z0-9_]\(/))
            continue
        rest = substr(list[i], RSTART + 1)
        while (match(rest, /[(, ]&[A-Za-z_][A-Za-z0-9_]*[,)]/)) {
            name = substr(rest, RSTART + 2, RLENGTH - 3)
            rest = substr(rest, RSTART + RLENGTH - 1)
            for (k = 1; k <= count; k++)
                if (k != i && reads(list[k], name))
                    told(name)
        }
    }
}

function calls(    i, letter, top, open)
{
    for (i = 1; i <= length(statement); i++) {
        letter = substr(statement, i, 1)
        if (letter == "(")
            open[++top] = i
        else if (letter == ")" && top > 0) {
            checked++
            # Not a call but a loop: its condition and its step come in turn (tests/check.h).
            if (substr(statement, 1, open[top] - 1) !~ /CHECK_(UNTIL|WITHIN)$/)
                arguments(substr(statement, open[top] + 1, i - open[top] - 1))
            top--
        }
    }
}

FNR == 1 {
    statement = ""
    is_comment = 0
}

{
    line = $0
    gsub(/'(\\.|[^'\\])'/, "0", line)
    gsub(/"(\\.|[^"\\])*"/, "0", line)
    if (is_comment && !sub(/^.*\*\//, "", line))
        next
    while ((from = index(line, "/*")) > 0 && (bytes = index(substr(line, from + 2), "*/")) > 0)
        line = substr(line, 1, from - 1) substr(line, from + bytes + 3)
    is_comment = sub(/\/\*.*/, "", line)
    if (line ~ /^[ \t]*#/)
        next
    if (statement == "")
        first = FNR
    statement = statement " " line
    if (line ~ /[;{}]/) {
        calls()
        statement = ""
    }
}

END {
    print checked + 0 " calls looked at"
    exit wrong > 0
}
