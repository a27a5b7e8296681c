# Prints the table. Reads, in this order: rows.txt, the plan (plan.awk's output), the figures of all rounds as lines of
#   system <TAB> name/size <TAB> value <TAB> unit
# With -v tsv=FILE the best, median and worst of every figure are written there too.
# Ends with status 1 when one of our own figures is missing, other than those of the kinds in -v absent=KINDS, which
# could not be measured here.
BEGIN {
    columns = split("openmpi mpich mpj niodev bare", column_of, " ")
    heading["openmpi"] = "Open MPI"
    heading["mpich"] = "MPICH"
    heading["mpj"] = "MPJ Expr."
    heading["niodev"] = "niodev"
    heading["bare"] = "socket"
    title["openmpi"] = "Open MPI"
    title["mpich"] = "MPICH"
    title["mpj"] = "MPJ Express"
    title["niodev"] = "MPJ's niodev"
    title["bare"] = "a bare socket"
    title["hydra"] = "Hydra with our ranks"
    title["corunna"] = "our"
    at_one["ratio<"] = "below "
    at_one["ratio<="] = "at most "
    at_one["ratio>"] = "above "
    at_one["ratio>="] = "at least "
    lower["cacheline/64"] = 1
    met = missed = open_targets = lacking = 0
}

FNR == 1 { file++; FS = file == 1 ? " *\\| *" : "\t"; $0 = $0 }

file == 1 { sub(/[ \t]+$/, "") }

file == 1 && $1 == "kind" {
    n = split($2, names, " ")
    for (i = 1; i <= n; i++) {
        ours[names[i]] = $3
        peers[names[i]] = $4
        beside[names[i]] = $4 " " $5
    }
}

file == 1 && $1 == "row" {
    listed[++listed_count] = $2
    kind[$2] = $3
    printed[$2] = $5
    unit[$2] = $6
    better[$2] = $7
    lower[$5] = $7 == "low"
    label[$2] = $8
}

file == 1 && $1 == "target" {
    n = ++targets[$2]
    against[$2, n] = $3
    how[$2, n] = $4
    limit[$2, n] = $5
}

file == 1 && $1 == "group" {
    group_name[++groups] = $2
    group_rows[groups] = $3
    group_against[groups] = $4
    group_how[groups] = $5
    group_limit[groups] = $6
}

file == 2 && $1 == "row" { shown[++rows] = $2 }

# Programs may print more than the rows ask for.
file == 3 && $2 in lower {
    key = $1 SUBSEP $2
    if (!(key in seen))
        keys[++key_count] = key
    value[key, ++seen[key]] = $3 + 0
    units[key] = $4
}

# Values of one figure in ascending order; the spread tells how far a difference can be trusted.
function sort_values(key,   i, j, v) {
    for (i = 2; i <= seen[key]; i++) {
        v = value[key, i]
        for (j = i - 1; j >= 1 && value[key, j] > v; j--)
            value[key, j + 1] = value[key, j]
        value[key, j + 1] = v
    }
}

# The best of all rounds, or 0 when there is none.
function best(whose, name,   key) {
    key = whose SUBSEP name
    if (!(key in seen))
        return 0
    return lower[name] ? value[key, 1] : value[key, seen[key]]
}

function best_peer(id,   list, n, i, v, found) {
    n = split(peers[kind[id]], list, " ")
    for (i = 1; i <= n; i++) {
        v = best(list[i], printed[id])
        if (v > 0 && (found == 0 || (better[id] == "low" ? v < found : v > found)))
            found = v
    }
    return found + 0
}

function figure(v) {
    return v <= 0 ? "n/a" : v < 10 ? sprintf("%.3f", v) : v < 1000 ? sprintf("%.2f", v) : sprintf("%.0f", v)
}

function column(id, whose) {
    return index(" " beside[kind[id]] " ", " " whose " ") ? figure(best(whose, printed[id])) : "-"
}

# Sets reached and verdict for target n of a row and returns what is asked for, in words.
function judge(id, n, mine,   pair, other, name, way, bound, words) {
    if (against[id, n] == "best") {
        other = best_peer(id)
        name = "better peer"
    } else {
        split(against[id, n], pair, " ")
        other = best(pair[1], printed[pair[2]])
        name = title[pair[1]] (index(" corunna openmpi mpich ", " " pair[1] " ") ? " C" : "")
    }
    if (against[id, n] == "best" && peers[kind[id]] in title)
        name = title[peers[kind[id]]]
    way = how[id, n]
    bound = limit[id, n] + 0
    if (way == "faster>=")
        words = ">= " limit[id, n] " x faster than " name
    else if (bound == 1)
        words = at_one[way] name
    else
        words = substr(way, 6) " " limit[id, n] " of " name
    if (mine <= 0 || other <= 0) {
        reached = "n/a"
        verdict = "not measured"
        open_targets++
        return words
    }
    reached = way == "faster>=" && better[id] == "low" ? other / mine : mine / other
    if (way == "ratio<=" ? reached <= bound : way == "ratio<" ? reached < bound : \
        way == "ratio>" ? reached > bound : reached >= bound) {
        verdict = "met"
        met++
    } else {
        verdict = "missed"
        missed++
    }
    reached = sprintf("%.2f", reached)
    return words
}

# Our time divided by the other side's for target g of a group and one of its rows, or 0 when one side is missing.
function slowness(g, id,   mine, other, pair, part, n) {
    mine = best(ours[kind[id]], printed[id])
    if (group_against[g] == "best")
        other = best_peer(id)
    else if (group_against[g] == "like") {
        n = split(peers[kind[id]], part, " ")
        other = best(part[n], printed[id])
    } else if (group_against[g] in title)
        other = best(group_against[g], printed[id])
    else {
        split(group_against[g], pair, " ")
        n = split(id, part, "/")
        other = best(pair[1], printed[pair[2] part[n - 1] "/" part[n]])
    }
    if (mine <= 0 || other <= 0)
        return 0
    return better[id] == "low" ? mine / other : other / mine
}

function other_side(g, id) {
    if (group_against[g] == "like")
        return "MPJ Express the same way"
    if (group_against[g] in title)
        return title[group_against[g]]
    if (group_against[g] != "best")
        return "our C"
    return peers[kind[id]] in title ? title[peers[kind[id]]] : "the better peer"
}

# How many rows a group has, shown or not.
function all_cases(g,   i, n) {
    for (i = 1; i <= listed_count; i++)
        n += listed[i] ~ group_rows[g]
    return n + 0
}

# Judges target g of a group and returns what was reached, in words; nothing when no row of it is shown.
function judge_group(g,   i, id, v, cases, measured, sum, worst, worst_id, reached_it, words) {
    cases = measured = sum = worst = 0
    for (i = 1; i <= rows; i++) {
        id = shown[i]
        if (id !~ group_rows[g])
            continue
        cases++
        worst_id = worst_id == "" ? id : worst_id
        v = slowness(g, id)
        if (v <= 0)
            continue
        measured++
        sum += log(v)
        if (v > worst) {
            worst = v
            worst_id = id
        }
    }
    if (cases == 0)
        return ""
    if (group_how[g] == "mean>=") {
        words = "geometric mean of " measured (measured < all_cases(g) ? " of " all_cases(g) : "") " rows "
        words = words (measured ? sprintf("%.2f", exp(-sum / measured)) : "n/a") " x faster than "
        words = words other_side(g, worst_id) (group_limit[g] == "-" ? "" : ", target >= " group_limit[g])
        reached_it = measured && exp(-sum / measured) >= group_limit[g] + 0
    } else {
        words = "worst case " (measured ? sprintf("%s, %.2f", label[worst_id], worst) : "n/a") " of "
        words = words other_side(g, worst_id) (group_limit[g] == "-" ? "" : ", target <= " group_limit[g])
        reached_it = measured && worst <= group_limit[g] + 0
    }
    if (group_limit[g] == "-")
        return words " (no target)"
    # What is missing cannot help to meet a target; one that is missed already stays missed.
    if (measured && !reached_it) {
        missed++
        return words ", missed"
    }
    if (measured < cases) {
        open_targets++
        return words ", " cases - measured " of " cases " rows not measured"
    }
    met++
    return words ", met"
}

# One line for each group: all its targets.
function print_groups(   g, words, name, text) {
    for (g = 1; g <= groups; g++) {
        words = judge_group(g)
        if (words == "")
            continue
        if (group_name[g] == name)
            text = text "; " words
        else {
            if (text != "")
                print text
            name = group_name[g]
            text = name ": " words
        }
    }
    if (text != "")
        print text
}

# One line; figures is the list of what stands in the columns, ours first.
function line(what, unit_name, figures, ratio, words,   text, value_of, n, i) {
    text = sprintf("%-35s %-5s", what, unit_name)
    n = split(figures, value_of, "\t")
    for (i = 1; i <= columns + 1; i++)
        text = text sprintf(" %9s", i <= n ? value_of[i] : "")
    text = text sprintf(" %7s  %-33s %8s  %s", ratio, words, reached, verdict)
    sub(/ +$/, "", text)
    print text
}

END {
    for (i = 1; i <= key_count; i++)
        sort_values(keys[i])
    reached = "reached"
    figures = "Corunna"
    for (i = 1; i <= columns; i++)
        figures = figures "\t" heading[column_of[i]]
    line("benchmark (best of the rounds)", "unit", figures, "ratio", "target")
    for (i = 1; i <= rows; i++) {
        id = shown[i]
        mine = best(ours[kind[id]], printed[id])
        if (mine <= 0 && !index(" " absent " ", " " kind[id] " "))
            lacking++
        peer = best_peer(id)
        ratio = peers[kind[id]] == "" ? "-" : mine > 0 && peer > 0 ? sprintf("%.2f", mine / peer) : "n/a"
        words = "-"
        reached = verdict = ""
        if (targets[id] >= 1)
            words = judge(id, 1, mine)
        figures = figure(mine)
        for (n = 1; n <= columns; n++)
            figures = figures "\t" column(id, column_of[n])
        line(label[id], unit[id], figures, ratio, words)
        for (n = 2; n <= targets[id]; n++) {
            words = judge(id, n, mine)
            line("", "", "", "", words)
        }
    }
    print ""
    print_groups()
    print "ratio: our figure divided by the better peer's; us, ms, s/GB: less is better, GB/s, M/s: more is better."
    floor_us = best("floor", "cacheline/64")
    if (floor_us > 0)
        printf "A cache line alone takes %.3f us from core to core.\n", floor_us
    printf "Targets: %d met, %d missed, %d not measured.\n", met, missed, open_targets
    if (tsv != "") {
        print "system\tname\tsize\tunit\tbest\tmedian\tworst\trounds" > tsv
        for (i = 1; i <= key_count; i++) {
            key = keys[i]
            split(key, part, SUBSEP)
            split(part[2], name, "/")
            n = seen[key]
            print part[1] "\t" name[1] "\t" name[2] "\t" units[key] "\t" best(part[1], part[2]) "\t" \
                value[key, int((n + 1) / 2)] "\t" (lower[part[2]] ? value[key, n] : value[key, 1]) "\t" n > tsv
        }
        close(tsv)
    }
    exit lacking > 0
}
