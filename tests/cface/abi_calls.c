/* SPDX-License-Identifier: Apache-2.0 */
/* What the library tells of its binary interface, of Fortran's kinds and of the hardware: true, and at any time. */
#include "wrong.h"

#include <corunna/threads.h>
#include <stdint.h>
#include <stdlib.h>

/* The value of a key, which must be there. */
static const char *value_of(MPI_Info info, const char *key)
{
    static _Thread_local char text[64];
    int length = sizeof text, flag = 0;
    CHECK(MPI_Info_get_string(info, key, &length, text, &flag) == MPI_SUCCESS && flag);
    return flag ? text : "";
}

static void test_sizes(void)
{
    MPI_Info info;
    int count;
    CHECK_OK(MPI_Abi_get_info(&info));
    CHECK(MPI_Info_get_nkeys(info, &count) == MPI_SUCCESS && count == 3);
    CHECK(atoi(value_of(info, "mpi_aint_size")) == sizeof(MPI_Aint));
    CHECK(atoi(value_of(info, "mpi_count_size")) == sizeof(MPI_Count));
    CHECK(atoi(value_of(info, "mpi_offset_size")) == sizeof(MPI_Offset));
    CHECK_OK(MPI_Info_free(&info));
}

/* The kinds are those of the datatypes; the program comes too late to set them. */
static void test_fortran(void)
{
    static const char *const kinds[] = {
        "logical1", "logical2", "logical4",  "logical8",  "logical16",      "integer1", "integer2",
        "integer4", "integer8", "integer16", "real2",     "real4",          "real8",    "real16",
        "complex4", "complex8", "complex16", "complex32", "double_complex",
    };
    MPI_Info info;
    CHECK(MPI_Abi_get_fortran_info(&info) == MPI_SUCCESS && info != MPI_INFO_NULL);
    CHECK(atoi(value_of(info, "mpi_logical_size")) == 4 && atoi(value_of(info, "mpi_integer_size")) == 4);
    CHECK(atoi(value_of(info, "mpi_real_size")) == 4 && atoi(value_of(info, "mpi_double_precision_size")) == 8);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char key[64];
        snprintf(key, sizeof key, "mpi_%s_supported", kinds[i]);
        CHECK(strcmp(value_of(info, key), "true") == 0);
    }
    CHECK(MPI_Abi_set_fortran_info(info) == MPI_ERR_ABI);
    CHECK_OK(MPI_Info_free(&info));
    for (int bytes = 1; bytes <= 16; bytes *= 2) {
        uint8_t yes[17], no[17], expected[17];
        int is_set = 0;
        memset(yes, 7, sizeof yes);
        memset(no, 7, sizeof no);
        CHECK(MPI_Abi_get_fortran_booleans(bytes, yes, no, &is_set) == MPI_SUCCESS && is_set);
        memset(expected, 0, sizeof expected);
        CHECK(memcmp(no, expected, (size_t)bytes) == 0 && no[bytes] == 7 && yes[bytes] == 7);
        CHECK(yes[0] + yes[bytes - 1] == (bytes == 1 ? 2 : 1));
        CHECK(MPI_Abi_set_fortran_booleans(bytes, yes, no) == MPI_ERR_ABI);
    }
    int32_t yes, no, is_set;
    CHECK(MPI_Abi_get_fortran_booleans(4, &yes, &no, &is_set) == MPI_SUCCESS && yes == 1 && no == 0);
}

/* An operator yields the same values. */
static void test_operator(void)
{
    int32_t two[2] = {2, 0}, results[2] = {1, 1}, yes, no;
    int is_set;
    CHECK_OK(MPI_Abi_get_fortran_booleans(4, &yes, &no, &is_set));
    CHECK_OK(MPI_Reduce_local(two, results, 2, MPI_LOGICAL, MPI_LAND));
    CHECK(results[0] == yes && results[1] == no);
}

/* Every resource is something by which a communicator can be split. */
static void test_hardware(void)
{
    MPI_Info hardware, guide;
    MPI_Comm made;
    char key[MPI_MAX_INFO_KEY];
    int count = 0, result;
    CHECK_OK(MPI_Get_hw_resource_info(&hardware));
    CHECK(MPI_Info_get_nkeys(hardware, &count) == MPI_SUCCESS && count > 0);
    for (int i = 0; i < count; i++) {
        CHECK_OK(MPI_Info_get_nthkey(hardware, i, key));
        CHECK(strcmp(value_of(hardware, key), "true") == 0 || strcmp(value_of(hardware, key), "false") == 0);
        CHECK_OK(MPI_Info_create(&guide));
        CHECK_OK(MPI_Info_set(guide, "mpi_hw_resource_type", key));
        CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, guide, &made));
        CHECK(made != MPI_COMM_NULL && MPI_Comm_compare(made, MPI_COMM_WORLD, &result) == MPI_SUCCESS);
        CHECK(MPI_Comm_free(&made) == MPI_SUCCESS && MPI_Info_free(&guide) == MPI_SUCCESS);
    }
    CHECK_OK(MPI_Info_free(&hardware));
}

static void test_wrong(void)
{
    int x = 0, is_set;
    WRONG(MPI_ERR_ARG, "info is", MPI_Abi_get_info(NULL));
    WRONG(MPI_ERR_ARG, "info is", MPI_Abi_get_fortran_info(NULL));
    WRONG(MPI_ERR_INFO, "info is MPI_INFO_NULL", MPI_Abi_set_fortran_info(MPI_INFO_NULL));
    WRONG(MPI_ERR_ABI, "already set", MPI_Abi_set_fortran_info(MPI_INFO_ENV));
    WRONG(MPI_ERR_ARG, "logical_size is 3", MPI_Abi_get_fortran_booleans(3, &x, &x, &is_set));
    WRONG(MPI_ERR_ARG, "logical_true is", MPI_Abi_get_fortran_booleans(4, NULL, &x, &is_set));
    WRONG(MPI_ERR_ARG, "is_set is", MPI_Abi_get_fortran_booleans(4, &x, &x, NULL));
    WRONG(MPI_ERR_ARG, "logical_size is 0", MPI_Abi_set_fortran_booleans(0, &x, &x));
    WRONG(MPI_ERR_ARG, "logical_false is", MPI_Abi_set_fortran_booleans(4, &x, NULL));
    WRONG(MPI_ERR_ARG, "hw_info is", MPI_Get_hw_resource_info(NULL));
}

static int body(int argc, char **argv)
{
    test_sizes();
    test_fortran();
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    test_sizes();
    test_fortran();
    test_operator();
    test_hardware();
    test_wrong();
    MPI_Finalize();
    test_sizes();
    test_fortran();
    return 0;
}

int main(int argc, char **argv)
{
    for (int ranks = 1; ranks <= 3; ranks += 2)
        CHECK(corunna_threads_run(ranks, body, argc, argv) == 0);
    puts("abi_calls: passed");
    return 0;
}
