# Reads rows.txt and prints what has to run for the rows whose id matches `only`:
#   row <TAB> id                                        the rows to show
#   job <TAB> kind <TAB> program <TAB> sizes <TAB> systems
# A row that another one is compared with is measured too, so that no target lacks its other side.
BEGIN {
    FS = " *\\| *"
    OFS = "\t"
    systems["c2"] = "corunna openmpi mpich"
    systems["c8"] = systems["c2"]
    systems["jp"] = "corunna-processes mpj"
    systems["jt"] = "corunna-threads mpj"
}

{ sub(/[ \t]+$/, "") }

$1 == "row" {
    order[++rows] = $2
    kind[$2] = $3
    program[$2] = $4
    size[$2] = $5
    sub(/.*\//, "", size[$2])
    if (only == "" || $2 ~ only)
        shown[$2] = 1
}

$1 == "target" && split($3, against, " ") == 2 { compared[++pairs] = $2 OFS against[2] }

function add(list, word) {
    return index(" " list " ", " " word " ") ? list : list (list == "" ? "" : " ") word
}

END {
    for (i = 1; i <= rows; i++)
        if (order[i] in shown)
            print "row", order[i]
    for (i = 1; i <= pairs; i++) {
        split(compared[i], pair, OFS)
        if (pair[1] in shown)
            needed[pair[2]] = 1
    }
    for (i = 1; i <= rows; i++) {
        id = order[i]
        if (!(id in shown) && !(id in needed))
            continue
        # Both Java kinds are one job: they share the peer, which then runs once and not twice.
        job = (kind[id] ~ /^j/ ? "j2" : kind[id]) OFS program[id]
        if (!(job in sizes))
            jobs[++count] = job
        sizes[job] = add(sizes[job], size[id])
        n = split(systems[kind[id]], list, " ")
        for (k = 1; k <= n; k++)
            runs[job] = add(runs[job], list[k])
    }
    for (i = 1; i <= count; i++)
        print "job", jobs[i], sizes[jobs[i]], runs[jobs[i]]
}
