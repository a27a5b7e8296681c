# SPDX-License-Identifier: Apache-2.0
# The ping-pong between two ranks of one machine, Corunna beside its peers. From what `corunna bench --csv` writes:
# awk -f picture_curves.awk -f picture.awk latest.csv > picture.svg
BEGIN {
    FS = ","
    # The curves: system and language as in the file, the name that readers see, class of colour and dashes.
    curve("corunna,c", "Corunna, C", "c0")
    curve("openmpi,c", "Open MPI, C", "c1")
    curve("mpich,c", "MPICH, C", "c2")
    curve("corunna,java", "Corunna, Java", "c0 dashed")
    curve("corunna-threads,java", "Corunna, Java, threads", "c3 dashed")
    curve("mpjexpress,java", "MPJ Express, Java, threads", "c4 dashed")
}

$1 == "pingpong" && $4 == "default" && $5 == 2 && $6 == "byte" && $7 == "" && $9 == "us" && $10 > 0 {
    point($2 "," $3, $8, $10)
}

END {
    if (!points["corunna,c"]) {
        print "picture.awk: the file has no ping-pong of Corunna between 2 ranks" > "/dev/stderr"
        exit 1
    }
    open_picture("Latency and bandwidth of Corunna, Open MPI, MPICH and MPJ Express between two ranks of one machine")
    latency_panel(8, 65536)
    bandwidth_panel(1024, 4194304)
    legend(3)
    close_picture("Shared memory, ranks are processes unless said otherwise")
}
