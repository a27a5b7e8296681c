# SPDX-License-Identifier: Apache-2.0
# The sentences that a page quotes in its headings, "### `a … b`", must still be said by a program:
# awk -f sentences.awk PAGE SOURCES, where SOURCES is one file with the text of all sources, strings joined. The words
# between two … are looked for; headings whose sentence is not ours name no program and are listed here.
BEGIN {
    foreign["`rank 0 of 1`, as often as there should be ranks"]
    foreign["`WARNING: A restricted method in java.lang.System has been called`"]
}

FILENAME == ARGV[1] && /^### / {
    heading = substr($0, 5)
    if (heading in foreign)
        next
    if (heading !~ /^`.*`$/) {
        print "a heading that quotes no sentence: " heading
        status = 1
        next
    }
    count = split(substr(heading, 2, length(heading) - 2), parts, "…")
    for (i = 1; i <= count; i++) {
        gsub(/^[ :;,]+|[ :;,]+$/, "", parts[i])
        if (length(parts[i]) >= 6)
            wanted[++wants] = parts[i]
    }
    next
}

FILENAME == ARGV[2] { text = text $0 }

END {
    for (i = 1; i <= wants; i++)
        if (!index(text, wanted[i])) {
            print "no program says: " wanted[i]
            status = 1
        }
    if (wants < 30) {
        print "only " wants + 0 " sentences were found in the page"
        status = 1
    }
    exit status
}
