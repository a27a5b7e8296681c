# SPDX-License-Identifier: Apache-2.0
# Read allowed.txt, the first file given, into `row`, and answer by it; layers.awk and symbols.awk stand on this.
# `folder/*` in the table stands for each subfolder that has no row of its own; `(folder)` may be reached, not included.

function generic(folder) # the row a folder belongs to, or ""
{
    if (folder in row)
        return folder
    sub(/\/[^\/]*$/, "/*", folder)
    return folder in row ? folder : ""
}

# May a file of the row `from` use what is in the folder `to`? `is_reached`: through a header of another folder.
function is_allowed(from, to, is_reached,    words, count, i)
{
    if (from == to)
        return 1
    count = split(row[generic(from)], words, " ")
    for (i = 1; i <= count; i++) {
        if (is_reached)
            gsub(/[()]/, "", words[i])
        if (words[i] == to || words[i] == generic(to))
            return 1
    }
    return 0
}

# Does the row name this header?
function is_named(from, header)
{
    return index(" " row[generic(from)] " ", " " header " ") > 0
}

function folder_of(path)
{
    return sub(/\/[^\/]*$/, "", path) ? path : ""
}

# The row of a file: its own, or that of its folder.
function row_of(file)
{
    return file in row ? file : folder_of(file)
}

function tell(text)
{
    print text
    failed = 1
}

FNR == NR {
    sub(/#.*/, "")
    words = $0
    if (sub(/^[^ \t:]*:/, "", words)) {
        folder = $0
        sub(/:.*/, "", folder)
        row[folder] = words
    } else if (/^[ \t]+[^ \t]/) # the row before goes on
        row[folder] = row[folder] " " words
    gsub(/[()]/, "", words)
    count = split(words, word, " ")
    for (i = 1; i <= count; i++)
        if (!((word[i] ~ /\.h$/ ? folder_of(word[i]) : word[i]) in row) && folder !~ /\.[ch]$/)
            tell("allowed.txt: " folder " stands above " word[i] ", which has no row before it: " \
                 "there might be a circle")
    next
}
