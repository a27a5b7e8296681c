# SPDX-License-Identifier: Apache-2.0
# The page of applications with the tables of a run between its marks:
# awk -f applications.awk -f applications_tables.awk applications.csv applications.md > new.md
function table(g, s, i, value)
{
    printf "Class %s on %s rank%s:\n\n|", group_class[g], group_ranks[g], group_ranks[g] == 1 ? "" : "s"
    for (s = 1; s <= systems; s++)
        if (has[g, s])
            printf " | %s", system_name[s]
    printf " |\n|---"
    for (s = 1; s <= systems; s++)
        if (has[g, s])
            printf "|--:"
    print "|"
    for (i = 1; i <= codes[g]; i++) {
        printf "| %s", toupper(code[g, i])
        for (s = 1; s <= systems; s++) {
            value = best[g, code[g, i], system_key[s]]
            if (has[g, s])
                printf " | %s", (value > 0 ? sprintf(value < 100 ? "%.1f" : "%.0f", value) : "-")
        }
        print " |"
    }
    printf "| mean, by Corunna in C"
    for (s = 1; s <= systems; s++)
        if (has[g, s])
            printf " | %s", (mean(g, s) > 0 ? sprintf("%.2f", mean(g, s)) : "-")
    print " |\n"
}

function tables(g)
{
    print start
    print "Million operations a second, the best of several rounds; more is better. " \
          "The last row is the geometric mean of each"
    print "column's rates by those of Corunna in C. A dash: the run failed, or took longer than it was given."
    print "Measured: " measured "; " machine ".\n"
    for (g = 1; g <= groups; g++)
        table(g)
    print "![Rates of applications with each library, by those of Corunna in C](pictures/applications.svg)"
}

BEGIN {
    start = "<!-- figures: make picture writes from here -->"
    end = "<!-- to here -->"
}
NR == FNR { next }
$0 == start { is_inside = found = 1; tables(); next }
$0 == end { is_inside = 0 }
!is_inside { print }
END {
    if (!found || is_inside || !groups) {
        print "applications_tables.awk: " \
              (groups ? "the page has no place for tables" : "the file has no figures") > "/dev/stderr"
        exit 1
    }
}
