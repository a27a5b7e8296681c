/* SPDX-License-Identifier: Apache-2.0 */
/* The tests. What each one does is told where it is written: bench/c and bench/java of the source tree. */
#include "tools/bench/bench.h"

#include <string.h>

#define PAIR_TYPES "byte int double column"
#define PAIR_SIZES "8,64,512,1k,4k,16k,64k,256k,1m,4m"
#define WINDOW_MODES "allocated created"
#define WINDOW_SIZES "8,64,1k,8k,64k,1m"
#define FILE_MODES "block rows gap cube"
#define FILE_SIZES "512,4k,64k"
#define COLL_SIZES "8,64,1k,8k,64k,1m"

const bench_test bench_tests[] = {
    {"pingpong", PAIR_TYPES " direct strings map records matrix", "", PAIR_SIZES, 2, 1, BENCH_TIME,
     "half a round trip of one message"},
    {"openpingpong", "byte int double column direct", "", PAIR_SIZES, 2, BENCH_JAVA_ALONE, BENCH_TIME,
     "the same by the Open MPI dialect of Java"},
    {"pingping", PAIR_TYPES " direct", "", PAIR_SIZES, 2, 1, BENCH_TIME, "both send at once"},
    {"exchange", PAIR_TYPES " direct", "", PAIR_SIZES, 0, 1, BENCH_TIME, "each rank with both neighbours in a ring"},
    {"stream", PAIR_TYPES " direct", "", "64k,1m,4m", 2, 1, BENCH_BANDWIDTH, "one way, windows of 16 messages"},
    {"bistream", PAIR_TYPES " direct", "", "64k,1m,4m", 2, 1, BENCH_BANDWIDTH, "both ways at once; of one direction"},
    {"rate", PAIR_TYPES " direct", "", "8,64,1k", 2, 1, BENCH_RATE, "messages, windows of 64"},
    {"pairs", PAIR_TYPES " direct", "", "8,64,1k", 0, 1, BENCH_RATE,
     "the same by all pairs of ranks at once; of one pair"},
    {"ring", PAIR_TYPES " direct", "", "8", 0, 1, BENCH_TIME, "one hop of a token around all ranks"},
    {"overlap", PAIR_TYPES " direct", "", "1k,64k,1m", 2, 1, BENCH_AS_IS,
     "the part of a transfer that computation did not hide"},
    {"threads", "byte int double", "1 2 4 8", "8,1k,64k", 2, 1, BENCH_TIME,
     "half a round trip by so many threads of each rank"},
    {"parts", "byte int double", "1 2 4 8", "8,1k,64k", 2, 0, BENCH_TIME,
     "a partition of a message of 16, marked by so many threads"},
    {"partsends", "byte int double", "1 2 4 8", "8,1k,64k", 2, 0, BENCH_TIME,
     "the same bytes by 16 messages of these threads"},
    {"put", "byte int double column", WINDOW_MODES, WINDOW_SIZES, 0, 0, BENCH_TIME,
     "to a window of the other half of the ranks, and a flush"},
    {"get", "byte int double column", WINDOW_MODES, WINDOW_SIZES, 0, 0, BENCH_TIME, "the same from there"},
    {"putstream", "byte int double column", WINDOW_MODES, "8,64k,1m", 0, 0, BENCH_BANDWIDTH,
     "windows of 16 of these; of one pair"},
    {"getstream", "byte int double column", WINDOW_MODES, "8,64k,1m", 0, 0, BENCH_BANDWIDTH, "the same from there"},
    {"accumulate", "double int", WINDOW_MODES, WINDOW_SIZES, 0, 0, BENCH_TIME, "a sum there, and a flush"},
    {"fetch_and_op", "byte", WINDOW_MODES, "", 0, 0, BENCH_TIME, "all ranks add to 8 bytes of the last, and a flush"},
    {"compare_and_swap", "byte", WINDOW_MODES, "", 0, 0, BENCH_TIME, "all ranks replace them, and a flush"},
    {"lock", "byte", WINDOW_MODES, "8", 0, 0, BENCH_TIME, "all ranks lock the last, put and unlock"},
    {"fence", "byte", WINDOW_MODES, "8,64k", 0, 0, BENCH_TIME, "a put to the next rank and a fence"},
    {"post", "byte", WINDOW_MODES, "8,64k", 0, 0, BENCH_TIME, "the same with post, start, complete and wait"},
    {"file_write", "byte", FILE_MODES, FILE_SIZES, 0, 0, BENCH_BANDWIDTH, "records of one file; of one rank"},
    {"file_write_all", "byte", FILE_MODES, FILE_SIZES, 0, 0, BENCH_BANDWIDTH, "the same in a collective call"},
    {"file_read", "byte", FILE_MODES, FILE_SIZES, 0, 0, BENCH_BANDWIDTH, "records of one file; of one rank"},
    {"file_read_all", "byte", FILE_MODES, FILE_SIZES, 0, 0, BENCH_BANDWIDTH, "the same in a collective call"},
    {"file_by_hand", "byte", "rows cube", FILE_SIZES, 0, 0, BENCH_BANDWIDTH,
     "the same written by an exchange and pwrite"},
    {"memory", "byte", "start all", "1k", 0, 1, BENCH_AS_IS,
     "memory of a rank: at the start, and after talking to all"},
    {"column", "byte", "", "500", 2, 0, BENCH_SHAPE, "a column of an n by n matrix: by hand, packed, sent"},
    {"triangle", "byte", "", "1,500,262144", 2, 0, BENCH_SHAPE, "n overlapping triangles: by hand, packed, sent"},
    {"upper", "byte", "", "500", 2, 0, BENCH_SHAPE, "n upper triangles of 8 by 8: by hand, packed, sent"},
    {"face", "byte", "", "100", 2, 0, BENCH_SHAPE, "a face of an n by n by n cube: by hand, packed, sent"},
    {"startup", "byte", "", "", 0, 1, BENCH_AS_IS, "from the command to its end, ranks that do nothing"},
    {"barrier", "byte", "apart row", "", 0, 1, BENCH_TIME, "a collective call"},
    {"bcast", "double int byte", "apart row", COLL_SIZES, 0, 1, BENCH_TIME, "a collective call"},
    {"gather", "double int byte", "apart row", COLL_SIZES, 0, 1, BENCH_TIME, "a collective call"},
    {"gatherv", "double int byte", "apart row", COLL_SIZES, 0, 1, BENCH_TIME, "a collective call"},
    {"scatter", "double int byte", "apart row", COLL_SIZES, 0, 1, BENCH_TIME, "a collective call"},
    {"scatterv", "double int byte", "apart row", COLL_SIZES, 0, 1, BENCH_TIME, "a collective call"},
    {"allgather", "double int byte", "apart row", COLL_SIZES, 0, 1, BENCH_TIME, "a collective call"},
    {"allgatherv", "double int byte", "apart row", COLL_SIZES, 0, 1, BENCH_TIME, "a collective call"},
    {"alltoall", "double int byte", "apart row", COLL_SIZES, 0, 1, BENCH_TIME, "a collective call"},
    {"alltoallv", "double int byte", "apart row", COLL_SIZES, 0, 1, BENCH_TIME, "a collective call"},
    {"reduce", "double int", "apart row", COLL_SIZES, 0, 1, BENCH_TIME, "a collective call"},
    {"allreduce", "double int", "apart row", COLL_SIZES, 0, 1, BENCH_TIME, "a collective call"},
    {"reduce_scatter", "double int", "apart row", COLL_SIZES, 0, 1, BENCH_TIME, "a collective call"},
    {"reduce_scatter_block", "double int", "apart row", COLL_SIZES, 0, 0, BENCH_TIME, "a collective call"},
    {"scan", "double int", "apart row", COLL_SIZES, 0, 1, BENCH_TIME, "a collective call"},
    {"exscan", "double int", "apart row", COLL_SIZES, 0, 0, BENCH_TIME, "a collective call"},
};

const int bench_test_count = sizeof bench_tests / sizeof bench_tests[0];

int bench_type_is_java(const char *type)
{
    static const char *const java_types[] = {"direct", "strings", "map", "records", "matrix"};
    for (size_t i = 0; i < sizeof java_types / sizeof *java_types; i++)
        if (strcmp(java_types[i], type) == 0)
            return 1;
    return 0;
}

const bench_test *bench_test_find(const char *name)
{
    for (int i = 0; i < bench_test_count; i++)
        if (strcmp(bench_tests[i].name, name) == 0)
            return &bench_tests[i];
    return NULL;
}
