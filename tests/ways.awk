# SPDX-License-Identifier: Apache-2.0
# Expand ways.def to one line a test, for CMakeLists.txt:
#
#     NAME|SUITE|START|DEVICE|RANKS|TIER|CASES|VARIABLES
#
# With -v join=yes the numbers of ranks that are threads stay together: RANKS is 1,2,7. CASES and VARIABLES are lists
# with spaces; a word of the settings that begins with -- is among the cases, first. TIER is quick, merge or nightly:
# merge are those nightly tests that, beside the quick ones, show every pair of values of two columns together, where
# numbers of ranks are 1, 2, few (to 5) or many. They are found greedily: each time the test that shows most pairs not
# yet seen, of these the first.

function mistake(text)
{
    print FILENAME ":" FNR ": " text > "/dev/stderr"
    failed = 1
    exit 1
}

# Words from the field on.
function rest(from, text, i)
{
    text = ""
    for (i = from; i <= NF; i++)
        text = text (i > from ? " " : "") $i
    return text
}

function is_start(word)
{
    return word ~ /^(threads|alone|run|hydra|hosts|spread|apart|cyclic|no_proc)$/
}

function add_test(suite, cases, ranks, name, i, n, words, arguments, variables)
{
    name = suite (cases == "" ? "" : "." cases) ($3 == "hyb" ? "" : "." $3) ($4 == "-" ? "" : "." $4) "." $2 "." ranks
    if (name in seen)
        mistake(name " is there twice")
    seen[name] = 1
    arguments = variables = ""
    n = $4 == "-" ? 0 : split(settings[$4], words, " ")
    for (i = 1; i <= n; i++)
        if (words[i] ~ /^--/)
            arguments = arguments words[i] " "
        else
            variables = variables (variables == "" ? "" : " ") words[i]
    count++
    line[count] = name "|" suite "|" $2 "|" $3 "|" ranks
    tier[count] = $6
    tail[count] = arguments (cases == "" ? "" : selections[cases]) "|" variables
    column[count, 1] = "start " $2
    column[count, 2] = "device " $3
    column[count, 3] = "setting " $4
    column[count, 4] = "ranks " (ranks > 5 ? "many" : ranks > 2 ? "few" : ranks)
    column[count, 5] = "suite " suite
}

# How many pairs a test shows that no chosen one has shown; with mark, they are shown now.
function pairs(test, mark, a, b, new, pair)
{
    new = 0
    for (a = 1; a < 5; a++)
        for (b = a + 1; b <= 5; b++) {
            pair = column[test, a] "," column[test, b]
            if (!(pair in shown)) {
                new++
                if (mark)
                    shown[pair] = 1
            }
        }
    return new
}

/^[[:space:]]*(#|$)/ { next }

$1 == "setting" { settings[$2] = rest(3); next }

$1 == "cases" { selections[$2] = rest(3); next }

$1 == "way" {
    if (NF < 7)
        mistake("a way has start, device, setting, ranks, tier and suites")
    if (!is_start($2))
        mistake("there is no start '" $2 "'")
    if ($4 != "-" && !($4 in settings))
        mistake("there is no setting '" $4 "'")
    if ($6 != "quick" && $6 != "nightly")
        mistake("the tier is quick or nightly, not '" $6 "'")
    for (s = 7; s <= NF; s++) {
        split($s ":", part, ":")
        if (part[2] != "" && !(part[2] in selections))
            mistake("there are no cases '" part[2] "'")
        if ($5 !~ /^[1-9][0-9]*(,[1-9][0-9]*)*$/)
            mistake("'" $5 "' are no numbers of ranks")
        numbers = join && $2 == "threads" ? 1 : split($5, number, ",")
        if (numbers == 1)
            number[1] = $5
        for (r = 1; r <= numbers; r++)
            add_test(part[1], part[2], number[r])
    }
    next
}

{ mistake("a row begins with setting, cases or way") }

END {
    if (failed)
        exit 1
    for (i = 1; i <= count; i++)
        if (tier[i] == "quick")
            pairs(i, 1)
    do {
        most = 0
        for (i = 1; i <= count; i++)
            if (tier[i] == "nightly" && (new = pairs(i, 0)) > most) {
                most = new
                best = i
            }
        if (most > 0) {
            tier[best] = "merge"
            pairs(best, 1)
        }
    } while (most > 0)
    for (i = 1; i <= count; i++)
        print line[i] "|" tier[i] "|" tail[i]
}
