# SPDX-License-Identifier: Apache-2.0
# What the scripts beside share: the figures of `corunna apps matrix --csv`, the best of all rounds. A group is a class
# on a number of ranks; groups and codes stand in the order of the file.
#   groups, group_class[g], group_ranks[g]      codes[g], code[g, i]      best[g, code, system]
#   systems, system_key[s], system_name[s], has[g, s]      machine, measured
BEGIN {
    FS = ","
    system_row("corunna-c", "Corunna, C")
    system_row("openmpi", "Open MPI, C")
    system_row("mpich", "MPICH, C")
    system_row("corunna-java", "Corunna, Java")
    system_row("corunna-threads", "Corunna, Java, threads")
    system_row("mpjexpress", "MPJ Express, threads")
    system_row("mpjexpress-nio", "MPJ Express, niodev")
}

function system_row(key, name)
{
    system_key[++systems] = key
    system_name[systems] = name
    system_of[key] = systems
}

/^# machine: / { machine = substr($0, 12) }
/^# measured: / { measured = substr($0, 13) }
is_figure() {
    group = group_of[$2, $3]
    if (!group) {
        group = group_of[$2, $3] = ++groups
        group_class[group] = $2
        group_ranks[group] = $3
    }
    if (!(group SUBSEP $1 in has_code)) {
        has_code[group, $1] = 1
        code[group, ++codes[group]] = $1
    }
    if ($7 > best[group, $1, $4])
        best[group, $1, $4] = $7
    has[group, system_of[$4]] = 1
}

function is_figure()
{
    return NF == 8 && $8 == "yes" && $4 in system_of && $7 > 0
}

# The geometric mean of a system's rates by those of Corunna in C, over the codes that both have; 0: there are none.
function mean(g, s, i, sum, count)
{
    for (i = 1; i <= codes[g]; i++)
        if (best[g, code[g, i], system_key[s]] > 0 && best[g, code[g, i], system_key[1]] > 0) {
            sum += log(best[g, code[g, i], system_key[s]] / best[g, code[g, i], system_key[1]])
            count++
        }
    return count ? exp(sum / count) : 0
}
