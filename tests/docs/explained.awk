# SPDX-License-Identifier: Apache-2.0
# What ends a job, every hint, and every fault of the codes below is explained: awk -f explained.awk PAGE SOURCES, as
# sentences.awk takes them, but with \a for a quotation mark inside a string. Of a sentence the longest part between two
# conversions is looked for, or its beginning. A lack of memory explains itself.
function check(sentence, parts, count, i, longest)
{
    if (sentence ~ /no memory/)
        return
    count = split(sentence, parts, /%[-.*0-9]*[a-z]+/)
    for (i = 1; i <= count; i++)
        if (length(parts[i]) > length(longest))
            longest = parts[i]
    gsub(/\a/, "\"", longest)
    longest = substr(longest, 1, 60)
    gsub(/^[ :;,."()]+|[ :;,."()]+$/, "", longest)
    if (length(longest) < 6)
        return
    found++
    if (!index(page, longest)) {
        print "not explained: " longest
        status = 1
    }
}

# All that `pattern` finds, without what matches `start`.
function check_all(pattern, start, rest, sentence)
{
    for (rest = text; match(rest, pattern); rest = substr(rest, RSTART + RLENGTH)) {
        sentence = substr(rest, RSTART, RLENGTH)
        sub(start, "", sentence)
        check(sentence)
    }
}

FILENAME == ARGV[1] { page = page $0 " " }
FILENAME == ARGV[2] { text = text $0 }

END {
    check_all("\\(hint: [^)]*\\)", "^.hint: ")
    check_all("cor_fault_set\\([^;\"]*COR_ERR_(SPAWN|PORT|NAME|SERVICE|UNSUPPORTED|UNREACHABLE),[^;\"]*\"[^\"]*\"",
              "^[^\"]*")
    check_all("cor_run_job_fail\\([^;\"]*\"[^\"]*\"", "^[^\"]*")
    if (found < 80) {
        print "only " found + 0 " sentences were found in the sources"
        status = 1
    }
    exit status
}
