# Read allowed.txt, then "FOLDER FILE INCLUDED" lines; tell every include that points up or sideways.
# `folder/*` in the table stands for each subfolder.

function generic(folder) # the row a folder belongs to, or ""
{
    if (folder in row)
        return folder
    sub(/\/[^\/]*$/, "/*", folder)
    return folder in row ? folder : ""
}

function is_allowed(from, to,    words, count, i)
{
    if (from == to)
        return 1
    count = split(row[generic(from)], words, " ")
    for (i = 1; i <= count; i++)
        if (words[i] == to || words[i] == generic(to))
            return 1
    return 0
}

FNR == NR {
    sub(/#.*/, "")
    if ($0 !~ /:/)
        next
    folder = $0
    sub(/:.*/, "", folder)
    gsub(/[ \t]/, "", folder)
    sub(/^[^:]*:/, "")
    row[folder] = $0
    next
}

{
    from = $2 in row ? $2 : $1
    to = $3
    checked++
    if (to ~ /^(mpi|corunna\/[a-z_]+)\.h$/) { # include/: the public headers, for the faces only
        if (from != "mpi" && from != "jni" && from != "tools") {
            print $2 ": " from " includes the public header " to
            failed = 1
        }
        next
    }
    if (to !~ /\//) # beside the file, or generated
        next
    sub(/\/[^\/]*$/, "", to)
    if (generic(from) == "") {
        print $2 ": folder " from " has no row in allowed.txt"
        failed = 1
    } else if (generic(to) == "" || !is_allowed(from, to)) {
        print $2 ": " from " must not include " to " (" $3 ")"
        failed = 1
    }
}

END {
    if (!checked) {
        print "no include was found"
        failed = 1
    }
    if (!failed)
        print checked " includes point down"
    exit failed
}
