# SPDX-License-Identifier: Apache-2.0
# Bars of each code's rate with each library, by that of Corunna in C; a panel for a class on a number of ranks:
# awk -f applications.awk -f applications_picture.awk applications.csv > picture.svg
function share(g, i, s, base)
{
    base = best[g, code[g, i], system_key[1]]
    return base > 0 ? best[g, code[g, i], system_key[s]] / base : 0
}

function greatest(g, i, s, most)
{
    for (i = 1; i <= codes[g]; i++)
        for (s = 1; s <= systems; s++)
            if (share(g, i, s) > most)
                most = share(g, i, s)
    return most
}

function down(value)
{
    return top + TALL * (1 - value / most)
}

function grid(g, tick, step)
{
    printf "<text class=\"title\" x=\"%d\" y=\"%d\">Class %s on %s rank%s</text>\n", left, top - 10,
        group_class[g], group_ranks[g], group_ranks[g] == 1 ? "" : "s"
    step = most > 4 ? 1 : most > 1.5 ? 0.5 : 0.25
    for (tick = 0; tick <= most * 1.001; tick += step) {
        printf "<path class=\"%s\" d=\"M%d,%.1fH%d\"/>", tick == 1 ? "one" : "grid", left, down(tick), left + WIDE
        printf "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", left - 6, down(tick) + 4, tick
    }
}

# The bars of a code stand side by side, in the order of the legend; those of systems without a figure leave no gap.
function bars(g, i, s, wide, across, count)
{
    for (s = 1; s <= systems; s++)
        count += has[g, s]
    wide = WIDE / codes[g] / (count + 1)
    for (i = 1; i <= codes[g]; i++) {
        across = left + (i - 1) * WIDE / codes[g] + wide / 2
        printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", left + (i - 0.5) * WIDE / codes[g],
            top + TALL + 16, toupper(code[g, i])
        for (s = 1; s <= systems; s++) {
            if (!has[g, s])
                continue
            if (share(g, i, s) > 0)
                printf "<rect class=\"c%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", s, across,
                    down(share(g, i, s)), wide * 0.9, top + TALL - down(share(g, i, s))
            across += wide
        }
    }
}

function legend(s, x, y, shown)
{
    for (s = 1; s <= systems; s++) {
        x = 62 + shown % 4 * 200
        y = bottom + 22 + int(shown / 4) * 22
        shown++
        printf "<rect class=\"c%d\" x=\"%d\" y=\"%d\" width=\"14\" height=\"10\"/>", s, x, y - 9
        printf "<text class=\"name\" x=\"%d\" y=\"%d\">%s</text>\n", x + 20, y, system_name[s]
    }
}

END {
    if (!groups) {
        print "applications_picture.awk: the file has no figures" > "/dev/stderr"
        exit 1
    }
    TALL = 170; WIDE = 350; GAP = 72
    rows = int((groups + 1) / 2)
    bottom = 30 + rows * (TALL + GAP)
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 %d\" role=\"img\" ", bottom + 74
    print "font-family=\"system-ui, sans-serif\">"
    print "<title>Rates of applications with Corunna, Open MPI, MPICH and MPJ Express, by those of Corunna in C</title>"
    print "<style>"
    print "text { fill: #5b6570; font-size: 11px; } .title { fill: #1b1f24; font-size: 14px; } " \
          ".name { fill: #1b1f24; font-size: 13px; }"
    print ".grid { stroke: #dfe3e8; fill: none; } .one { stroke: #8a949e; fill: none; }"
    print ".c1 { fill: #0072b2; } .c2 { fill: #d55e00; } .c3 { fill: #009e73; } .c4 { fill: #56b4e9; } " \
          ".c5 { fill: #7fd6cf; }"
    print ".c6 { fill: #b4508a; } .c7 { fill: #e69f00; }"
    print "@media (prefers-color-scheme: dark) {"
    print "text { fill: #9aa4b0; } .title, .name { fill: #e6e9ed; } .grid { stroke: #2c333b; } " \
          ".one { stroke: #7c8792; }"
    print "}"
    print "</style>"
    for (g = 1; g <= groups; g++) {
        left = 62 + (g - 1) % 2 * 430
        top = 36 + int((g - 1) / 2) * (TALL + GAP)
        most = greatest(g) * 1.05
        if (most < 1.05)
            most = 1.05
        grid(g)
        bars(g)
    }
    legend()
    printf "<text x=\"62\" y=\"%d\">Rate by that of Corunna in C (more is better); %s; %s</text>\n", bottom + 66,
        machine, measured
    print "</svg>"
}
