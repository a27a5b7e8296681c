# SPDX-License-Identifier: Apache-2.0
# NetPIPE with plain and with fast sockets, in C and Java. From what netpipe_picture.sh writes:
# awk -f ../picture_curves.awk -f picture.awk netpipe.csv > picture.svg
BEGIN {
    FS = ","
    curve("plain,c", "Sockets, C", "c1")
    curve("sock,c", "corunna sock, C", "c0")
    curve("plain,java", "Sockets, Java", "c1 dashed")
    curve("agent,java", "corunna java, Java", "c0 dashed")
}

$4 > 0 { point($1 "," $2, $3, $4) }

END {
    for (i = 1; i <= curves; i++)
        if (!points[keys[i]]) {
            print "sock/picture.awk: the file has no figure of " keys[i] > "/dev/stderr"
            exit 1
        }
    open_picture("Latency and bandwidth of TCP within one machine, with plain and with fast sockets")
    latency_panel(1, 65536)
    bandwidth_panel(1024, 16777216)
    legend(2)
    close_picture("One connection over 127.0.0.1 between two processes")
}
