# Reads rows.txt, written out by rows.awk, and prints what has to run for the rows whose id matches `only`:
#   row <TAB> id                                        the rows to show
#   job <TAB> kind <TAB> program <TAB> sizes <TAB> systems, each as name:rounds:percent:batches:seconds
# A row that another one is compared with is measured too, so that no target lacks its other side.
BEGIN {
    FS = " *\\| *"
    OFS = "\t"
}

{ sub(/[ \t]+$/, "") }

$1 == "kind" {
    n = split($2, names, " ")
    for (i = 1; i <= n; i++)
        systems[names[i]] = $3 " " $4 " " $5
}

$1 == "row" {
    order[++rows] = $2
    kind[$2] = $3
    program[$2] = $4
    size[$2] = $5
    sub(/.*\//, "", size[$2])
    if (only == "" || $2 ~ only)
        shown[$2] = 1
}

$1 == "effort" {
    effort_kinds[++efforts] = $2
    effort_program[efforts] = $3
    effort_system[efforts] = $4
    effort[efforts] = $5 ":" $6 ":" $7 ":" $8
}

$1 == "target" && split($3, against, " ") == 2 { compared[++pairs] = $2 OFS against[2] }

$1 == "group" && split($4, against, " ") == 2 {
    for (i = 1; i <= rows; i++)
        if (order[i] ~ $3)
            compared[++pairs] = order[i] OFS against[2] last_two_parts(order[i])
}

function last_two_parts(id,   part, n) {
    n = split(id, part, "/")
    return part[n - 1] "/" part[n]
}

function add(list, word) {
    return index(" " list " ", " " word " ") ? list : list (list == "" ? "" : " ") word
}

function fits(wanted, word) {
    return wanted == "*" || index(" " wanted " ", " " word " ")
}

function with_effort(job_kind, job_program, name,   i) {
    sub(/ .*/, "", job_program)
    for (i = 1; i <= efforts; i++)
        if (fits(effort_kinds[i], job_kind) && fits(effort_program[i], job_program) && fits(effort_system[i], name))
            return name ":" effort[i]
    print "plan: no line of effort fits " job_kind " " job_program " " name > "/dev/stderr"
    exit 2
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
        # Java kinds without TCP are one job: they share a peer, which then runs once and not twice.
        job_kind = kind[id]
        if (job_kind ~ /^j[pct][0-9]*$/) {
            sub(/[pct]/, "", job_kind)
            job_kind = job_kind == "j" ? "j2" : job_kind
        }
        job = job_kind OFS program[id]
        if (!(job in sizes))
            jobs[++count] = job
        sizes[job] = add(sizes[job], size[id])
        n = split(systems[kind[id]], list, " ")
        for (k = 1; k <= n; k++)
            runs[job] = add(runs[job], with_effort(job_kind, program[id], list[k]))
    }
    for (i = 1; i <= count; i++)
        print "job", jobs[i], sizes[jobs[i]], runs[jobs[i]]
}
