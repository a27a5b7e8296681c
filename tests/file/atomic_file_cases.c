/* SPDX-License-Identifier: Apache-2.0 */
/* Atomicity, and what is seen when without it. */
#include "file_suite.h"

#include <stdlib.h>
#include <string.h>

enum { AREA = 100000 };

/* A type of the even or all places of the area. */
static MPI_Datatype atomic_type(int is_spread)
{
    MPI_Datatype type;
    CHECK_OK(is_spread ? MPI_Type_vector(100, AREA / 200, AREA / 100, MPI_BYTE, &type)
                       : MPI_Type_contiguous(AREA / 2, MPI_BYTE, &type));
    CHECK_OK(MPI_Type_commit(&type));
    return type;
}

/* Half of the ranks write the same area, each a value of its own; the others find one value all over. */
void case_atomic_all_or_nothing(test *t)
{
    char *area = malloc(AREA);
    CHECK(area);
    for (int is_spread = 0; is_spread < 2; is_spread++) {
        int is_atomic = 0;
        MPI_Datatype type = atomic_type(is_spread);
        MPI_Status status;
        memset(area, 0, AREA);
        test_disk_make(t, "atomic", area, AREA);
        MPI_File file = test_open(t, "atomic", MPI_MODE_RDWR);
        CHECK_OK(MPI_File_set_atomicity(file, 1));
        CHECK_OK(MPI_File_get_atomicity(file, &is_atomic));
        CHECK_EQUAL(1, is_atomic);
        test_view(file, 0, MPI_BYTE, type);
        for (int round = 0; round < test_volume(t, 100); round++) {
            test_detail(t, "%s, round %d", is_spread ? "blocks" : "one piece", round);
            if (t->rank % 2 == 0) {
                memset(area, 1 + (t->rank + round) % 100, AREA / 2);
                CHECK_OK(MPI_File_write_at(file, 0, area, AREA / 2, MPI_BYTE, &status));
            } else {
                CHECK_OK(MPI_File_read_at(file, 0, area, AREA / 2, MPI_BYTE, &status));
                for (int i = 1; i < AREA / 2; i++)
                    if (area[i] != area[0])
                        CHECK_FAIL("byte 0 is %d and byte %d is %d", area[0], i, area[i]);
            }
            CHECK_MOVED(AREA / 2, &status);
        }
        CHECK_OK(MPI_File_close(&file));
        CHECK_OK(MPI_Type_free(&type));
    }
    free(area);
}

/* In atomic mode a barrier is enough. */
void case_atomic_seen(test *t)
{
    MPI_File file = test_open(t, "seen", MPI_MODE_RDWR | MPI_MODE_CREATE);
    CHECK_OK(MPI_File_set_atomicity(file, 1));
    test_view(file, 0, MPI_INT, MPI_INT);
    for (int round = 0; round < test_volume(t, 100); round++) {
        int value = round * 100 + t->rank, got = -1, other = (t->rank + 1 + round) % t->size;
        CHECK_OK(round % 2 ? MPI_File_write_at(file, t->rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE)
                           : MPI_File_write_at_all(file, t->rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Barrier(t->comm));
        CHECK_OK(round % 3 ? MPI_File_read_at(file, other, &got, 1, MPI_INT, MPI_STATUS_IGNORE)
                           : MPI_File_read_at_all(file, other, &got, 1, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_EQUAL(round * 100 + other, got);
        CHECK_OK(MPI_Barrier(t->comm));
    }
    CHECK_OK(MPI_File_set_atomicity(file, 0));
    int is_atomic = 1;
    CHECK_OK(MPI_File_get_atomicity(file, &is_atomic));
    CHECK_EQUAL(0, is_atomic);
    if (t->size > 1) {
        int rc = MPI_File_set_atomicity(file, t->rank == 0);
        CHECK(rc != MPI_SUCCESS);
        test_check_alike(t, "the class", test_class(rc));
    }
    CHECK_OK(MPI_File_close(&file));
}

/* Otherwise sync, barrier, sync. */
void case_atomic_synchronized(test *t)
{
    MPI_File file = test_open(t, "synchronized", MPI_MODE_RDWR | MPI_MODE_CREATE);
    test_view(file, 0, MPI_INT, MPI_INT);
    for (int round = 0; round < test_volume(t, 20); round++) {
        int value = round * 100 + t->rank, got = -1, other = (t->rank + 1 + round) % t->size;
        CHECK_OK(MPI_File_write_at(file, t->rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
        test_sync(t, file);
        CHECK_OK(MPI_File_read_at(file, other, &got, 1, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_EQUAL(round * 100 + other, got);
        CHECK_OK(MPI_Barrier(t->comm));
    }
    CHECK_OK(MPI_File_close(&file));
}
