# SPDX-License-Identifier: Apache-2.0
# After allowed.awk: read the sources (lines "FOLDER/FILE"), then for each program or library a line "== NAME" and what
# `nm -P -A -g` tells of its objects; tell every object that uses a symbol of a folder it must not know. Objects are
# told apart by their names, which are those of their sources, so a symbol of a library, or of a file made while
# building, is nobody's. Each program is linked by itself: what another one defines under the same name does not count.
# An object is judged in the first program that has it: what stands before the functions of libc elsewhere does not
# count either.

function source_of(object)
{
    sub(/\.o$/, "", object)
    sub(/^.*\//, "", object)
    return object in source ? source[object] : ""
}

function judge_program(    i, file, owner, pair)
{
    for (i = 1; i <= use_count; i++) {
        file = user[i]
        owner = definer[used[i]]
        pair = file " " used[i]
        if (owner == "" || owner == file || home[file] != program || pair in judged)
            continue
        judged[pair] = 1
        checked++
        if (!is_allowed(row_of(file), folder_of(owner), 1))
            tell(name_of(file) ".o: " row_of(file) " must not use " used[i] " of " folder_of(owner) " (" owner ")")
    }
    use_count = 0
    split("", definer)
}

function name_of(path)
{
    sub(/^.*\//, "", path)
    return path
}

/^== / {
    judge_program()
    program++
    next
}

NF == 1 {
    source[name_of($1)] = $1
    next
}

{
    file = $1
    sub(/:$/, "", file)
    file = source_of(file)
    if (file == "")
        next
    if (!(file in home))
        home[file] = program
    if ($3 ~ /^[Uwv]$/) {
        user[++use_count] = file
        used[use_count] = $2
    } else
        definer[$2] = file
}

END {
    judge_program()
    if (!checked)
        tell("no object uses another one")
    if (!failed)
        print checked " uses of symbols point down"
    exit failed
}
