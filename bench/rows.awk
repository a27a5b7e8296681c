# Reads rows.txt and writes every line that has the {name} of a list in it once for each word of that list, so that
# rows which differ in a word and a size stand there once. In a row's label the words of a list whose name ends
# with bytes become 8 B, 1 KiB, 1 MiB.
BEGIN { FS = " *\\| *" }

function in_words(bytes) {
    if (bytes >= 1048576 && bytes % 1048576 == 0)
        return bytes / 1048576 " MiB"
    if (bytes >= 1024 && bytes % 1024 == 0)
        return bytes / 1024 " KiB"
    return bytes " B"
}

# The list that was named first is the outer loop.
function expand(text,   k, name, words, n, i, copy, label) {
    for (k = 1; k <= lists; k++)
        if (index(text, "{" names[k] "}"))
            break
    if (k > lists) {
        print text
        return
    }
    name = names[k]
    n = split(list[name], words, " ")
    for (i = 1; i <= n; i++) {
        copy = text
        # The label is what follows the last bar.
        if (name ~ /bytes$/ && $1 == "row" && match(copy, /\|[^|]*$/)) {
            label = substr(copy, RSTART)
            copy = substr(copy, 1, RSTART - 1)
            gsub("[{]" name "[}]", in_words(words[i]), label)
            copy = copy label
        }
        gsub("[{]" name "[}]", words[i], copy)
        expand(copy)
    }
}

{ sub(/[ \t]+$/, "") }

$1 ~ /^#/ { print; next }

$1 == "list" { names[++lists] = $2; list[$2] = $3; next }

{ expand($0) }
