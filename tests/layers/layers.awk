# SPDX-License-Identifier: Apache-2.0
# After allowed.awk: read "FOLDER FILE INCLUDED" lines; tell every include that points up or sideways, and every private
# header (*_state.h) that another folder includes. A header that is reached through another one counts as included.

# May this file include this header? `through`: the header that brought it, or "".
function judge(file, header, through,    from, to, how)
{
    from = row_of(file)
    to = folder_of(header)
    how = through == "" ? "" : ", through " through
    if (header ~ /^(mpi|corunna\/[a-z_]+)\.h$/) { # include/: the public headers, for the faces only
        if (from != "mpi" && from != "jni" && from != "tools" && !is_allowed(from, header))
            tell(file ": " from " includes the public header " header how)
        return
    }
    if (to == "") # beside the file, or generated
        return
    if (header ~ /_state\.h$/ && folder_of(file) != to && !is_named(from, header))
        tell(file ": " header " is private to " to how)
    if (generic(from) == "")
        tell(file ": folder " from " has no row in allowed.txt")
    else if (generic(to) == "" || !is_allowed(from, to, through != ""))
        tell(file ": " from " must not include " to " (" header how ")")
}

# Judge all that a file includes, and what that includes. The first way to a header is the one that is told.
function follow(file,    list, count, i, k, words, words_count, seen, through, header)
{
    list[++count] = file
    for (i = 1; i <= count; i++) {
        header = list[i]
        if (header != file)
            judge(file, header, through[header])
        words_count = split(included[header], words, " ")
        for (k = 1; k <= words_count; k++)
            if (!(words[k] in seen) && words[k] != file) {
                seen[words[k]] = 1
                through[words[k]] = header == file ? "" : header
                list[++count] = words[k]
            }
    }
}

{
    checked++
    included[$2] = included[$2] " " $3
    files[checked] = $2
}

END {
    for (i = 1; i <= checked; i++)
        if (files[i] != files[i - 1])
            follow(files[i])
    if (!checked)
        tell("no include was found")
    if (!failed)
        print checked " includes point down"
    exit failed
}
