/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators through MPI's functions: made, asked, freed and forgotten; MPI_Reduce_local on predefined and made
 * datatypes; and all of these with wrong arguments. What the operators compute is tested in tests/unit.
 */
#include "wrong.h"

#include <limits.h>
#include <stdint.h>
#include <sys/mman.h>

static const MPI_Op predefined[] = {MPI_SUM,  MPI_MIN,  MPI_MAX, MPI_PROD, MPI_BAND,   MPI_BOR,
                                    MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_MINLOC, MPI_MAXLOC};

/* ---- a program's functions -------------------------------------------------------------------------------------- */

/* What the last call was given; a user's function has no other way to tell. */
static struct {
    MPI_Datatype datatype;
    MPI_Count count;
    int calls;
    char *in_end, *inout_end;
    int is_in_order;
} seen;

/* inout = 2 * in + inout: not commutative, and the order of operands matters. */
static void twice_plus(void *in, void *inout, int *length, MPI_Datatype *datatype)
{
    const int *left = in;
    int *right = inout;
    seen.datatype = *datatype;
    seen.calls++;
    for (int i = 0; i < *length; i++)
        right[i] += 2 * left[i];
    /* What it is given is its own. */
    *length = -1;
    *datatype = MPI_DATATYPE_NULL;
}

static void twice_plus_large(void *in, void *inout, MPI_Count *length, MPI_Datatype *datatype)
{
    const int *left = in;
    int *right = inout;
    seen.datatype = *datatype;
    seen.calls++;
    for (MPI_Count i = 0; i < *length; i++)
        right[i] += 2 * left[i];
}

/* Only looks at where it is called, one byte an element. */
static void follow(void *in, void *inout, int *length, MPI_Datatype *datatype)
{
    (void)datatype;
    seen.is_in_order &= in == seen.in_end && inout == seen.inout_end && *length > 0;
    seen.in_end = (char *)in + *length;
    seen.inout_end = (char *)inout + *length;
    seen.count += *length;
    seen.calls++;
}

static void follow_large(void *in, void *inout, MPI_Count *length, MPI_Datatype *datatype)
{
    (void)datatype;
    seen.is_in_order &= in == seen.in_end && inout == seen.inout_end;
    seen.count += *length;
    seen.calls++;
}

/* ---- right calls ------------------------------------------------------------------------------------------------ */

static void test_commutative(void)
{
    MPI_Op op;
    int is_commutative;
    for (size_t i = 0; i < sizeof predefined / sizeof predefined[0]; i++)
        CHECK(MPI_Op_commutative(predefined[i], &is_commutative) == MPI_SUCCESS && is_commutative == 1);
    CHECK(MPI_Op_commutative(MPI_REPLACE, &is_commutative) == MPI_SUCCESS && is_commutative == 0);
    CHECK_OK(MPI_Op_create(twice_plus, 17, &op));
    CHECK(MPI_Op_commutative(op, &is_commutative) == MPI_SUCCESS && is_commutative == 1);
    CHECK(MPI_Op_free(&op) == MPI_SUCCESS && op == MPI_OP_NULL);
    CHECK_OK(MPI_Op_create_c(twice_plus_large, 0, &op));
    CHECK(MPI_Op_commutative(op, &is_commutative) == MPI_SUCCESS && is_commutative == 0);
    CHECK_OK(MPI_Op_free(&op));
}

static void test_user(void)
{
    int in[] = {1, 2, 3}, inout[] = {10, 20, 30};
    MPI_Op plain, large;
    MPI_Datatype copy;
    CHECK_OK(MPI_Op_create(twice_plus, 0, &plain));
    CHECK_OK(MPI_Op_create_c(twice_plus_large, 0, &large));
    CHECK_OK(MPI_Reduce_local(in, inout, 3, MPI_INT, plain));
    CHECK(inout[0] == 12 && inout[1] == 24 && inout[2] == 36 && seen.datatype == MPI_INT && seen.calls == 1);
    CHECK(MPI_Reduce_local_c(in, inout, 3, MPI_INT, plain) == MPI_SUCCESS && inout[2] == 42 && seen.calls == 2);
    /* The function is told the handle it was called with. */
    CHECK_OK(MPI_Type_dup(MPI_INT, &copy));
    CHECK_OK(MPI_Reduce_local(in, inout, 2, copy, large));
    CHECK(inout[0] == 16 && inout[1] == 32 && inout[2] == 42 && seen.datatype == copy && seen.calls == 3);
    CHECK(MPI_Reduce_local(in, inout, 0, MPI_INT, large) == MPI_SUCCESS && seen.calls == 3);
    CHECK_OK(MPI_Reduce_local(NULL, NULL, 0, MPI_INT, MPI_SUM));
    CHECK_OK(MPI_Type_free(&copy));
    CHECK(MPI_Op_free(&plain) == MPI_SUCCESS && MPI_Op_free(&large) == MPI_SUCCESS);
}

/* More elements than an int counts: a function that counts in ints is called for pieces. */
static void test_large(void)
{
    MPI_Count count = (MPI_Count)INT_MAX + 10;
    size_t bytes = (size_t)count;
    char *in = mmap(NULL, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    MPI_Op op;
    CHECK(in != MAP_FAILED);
    for (int is_large = 0; is_large < 2; is_large++) {
        CHECK((is_large ? MPI_Op_create_c(follow_large, 1, &op) : MPI_Op_create(follow, 1, &op)) == MPI_SUCCESS);
        seen.calls = 0;
        seen.count = 0;
        seen.in_end = in;
        seen.inout_end = in + bytes;
        seen.is_in_order = 1;
        CHECK_OK(MPI_Reduce_local_c(in, in + bytes, count, MPI_BYTE, op));
        CHECK(seen.is_in_order && seen.count == count && seen.calls == (is_large ? 1 : 2));
        CHECK_OK(MPI_Op_free(&op));
    }
    munmap(in, 2 * bytes);
}

static void test_predefined(void)
{
    struct {
        double value;
        int index;
    } left[] = {{1.5, 7}, {2.5, 1}, {3.5, 4}}, right[] = {{1.5, 3}, {2.0, 9}, {4.5, 2}};
    double in[] = {1, 2, 3}, inout[] = {10, 20, 30};
    CHECK_OK(MPI_Reduce_local(in, inout, 3, MPI_DOUBLE, MPI_SUM));
    CHECK(inout[0] == 11 && inout[1] == 22 && inout[2] == 33);
    CHECK_OK(MPI_Reduce_local_c(in, inout, 2, MPI_DOUBLE, MPI_MIN));
    CHECK(inout[0] == 1 && inout[1] == 2 && inout[2] == 33);
    CHECK_OK(MPI_Reduce_local(left, right, 3, MPI_DOUBLE_INT, MPI_MINLOC));
    CHECK(right[0].value == 1.5 && right[0].index == 3 && right[1].value == 2.0 && right[1].index == 9);
    CHECK(right[2].value == 3.5 && right[2].index == 4);
}

/* What the standard does not have and other libraries do. MPI_CHAR has a sign, whatever the compiler's char has. */
static void test_beyond(void)
{
    signed char chars[2] = {-1, 100}, more[2] = {1, 100};
    MPI_Aint addresses[2] = {5, 0}, others[2] = {1, 7};
    MPI_Count counts[2] = {5, 0}, some[2] = {1, 7};
    MPI_Offset offsets[2] = {5, 0}, places[2] = {1, 7};
    CHECK(MPI_Reduce_local(chars, more, 2, MPI_CHAR, MPI_MAX) == MPI_SUCCESS && more[0] == 1 && more[1] == 100);
    CHECK(MPI_Reduce_local(chars, more, 2, MPI_CHAR, MPI_MIN) == MPI_SUCCESS && more[0] == -1 && more[1] == 100);
    CHECK(MPI_Reduce_local(chars, more, 2, MPI_CHAR, MPI_SUM) == MPI_SUCCESS && more[0] == -2 && more[1] == -56);
    CHECK(MPI_Reduce_local(addresses, others, 2, MPI_AINT, MPI_LAND) == MPI_SUCCESS && others[0] == 1 && !others[1]);
    CHECK(MPI_Reduce_local(counts, some, 2, MPI_COUNT, MPI_LOR) == MPI_SUCCESS && some[0] == 1 && some[1] == 1);
    CHECK(MPI_Reduce_local(offsets, places, 2, MPI_OFFSET, MPI_LXOR) == MPI_SUCCESS && !places[0] && places[1] == 1);
}

/* Types that MPI_Type_create_f90_* gives are as good as predefined ones. */
static void test_fortran(void)
{
    MPI_Datatype real, integer, complex_type;
    double in[] = {1.25, 2}, inout[] = {3, 5};
    int64_t number = 40, sum = 2;
    CHECK_OK(MPI_Type_create_f90_real(15, 300, &real));
    CHECK(MPI_Reduce_local(in, inout, 2, real, MPI_PROD) == MPI_SUCCESS && inout[0] == 3.75 && inout[1] == 10);
    CHECK_OK(MPI_Type_create_f90_integer(18, &integer));
    CHECK(MPI_Reduce_local(&number, &sum, 1, integer, MPI_SUM) == MPI_SUCCESS && sum == 42);
    CHECK_OK(MPI_Type_create_f90_complex(15, 300, &complex_type));
    CHECK(MPI_Reduce_local(in, inout, 1, complex_type, MPI_SUM) == MPI_SUCCESS && inout[0] == 5 && inout[1] == 12);
    WRONG(MPI_ERR_OP, "op is MPI_BAND, which is not defined for MPI_REAL8",
          MPI_Reduce_local(in, inout, 2, real, MPI_BAND));
}

static void test_numbers(void)
{
    MPI_Op op;
    CHECK(MPI_Op_toint(MPI_SUM) == 0x21 && MPI_Op_fromint(0x21) == MPI_SUM);
    CHECK_OK(MPI_Op_create(twice_plus, 1, &op));
    CHECK(MPI_Op_fromint(MPI_Op_toint(op)) == op && MPI_Op_toint(op) > 0xfff);
    CHECK_OK(MPI_Op_free(&op));
}

/* ---- wrong calls ------------------------------------------------------------------------------------------------ */

static int room[8], number;

#define WRONG_REDUCE(name)                                                                                            \
    WRONG(MPI_ERR_COUNT, "count is -1", name(room, room + 4, -1, MPI_INT, MPI_SUM));                                  \
    WRONG(MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL", name(room, room + 4, 1, MPI_DATATYPE_NULL, MPI_SUM));        \
    WRONG(MPI_ERR_TYPE, "MPI_Type_commit", name(room, room + 4, 1, uncommitted, MPI_SUM));                            \
    WRONG(MPI_ERR_BUFFER, "inbuf is a NULL pointer", name(NULL, room, 1, MPI_INT, MPI_SUM));                          \
    WRONG(MPI_ERR_BUFFER, "inoutbuf is a NULL pointer", name(room, NULL, 1, MPI_INT, MPI_SUM));                       \
    WRONG(MPI_ERR_BUFFER, "inbuf is MPI_IN_PLACE", name(MPI_IN_PLACE, room, 1, MPI_INT, MPI_SUM));                    \
    WRONG(MPI_ERR_BUFFER, "the same memory", name(room, room, 1, MPI_INT, MPI_SUM));                                  \
    WRONG(MPI_ERR_TYPE, "overlap", name(room, room + 4, 2, overlapping, op));                                         \
    WRONG(MPI_ERR_OP, "op is MPI_OP_NULL", name(room, room + 4, 1, MPI_INT, MPI_OP_NULL));                            \
    WRONG(MPI_ERR_OP, "op is not an operator but the predefined handle 0x209",                                        \
          name(room, room + 4, 1, MPI_INT, (MPI_Op)MPI_INT));                                                         \
    WRONG(MPI_ERR_OP, "op is not an operator but a NULL", name(room, room + 4, 1, MPI_INT, NULL));                    \
    WRONG(MPI_ERR_OP, "op is MPI_BAND, which is not defined for MPI_FLOAT",                                           \
          name(room, room + 4, 1, MPI_FLOAT, MPI_BAND));                                                              \
    WRONG(MPI_ERR_OP, "op is MPI_SUM, which is not defined for MPI_WCHAR",                                            \
          name(room, room + 4, 1, MPI_WCHAR, MPI_SUM));                                                               \
    WRONG(MPI_ERR_OP, "op is MPI_MAXLOC, which is not defined for MPI_INT",                                           \
          name(room, room + 4, 1, MPI_INT, MPI_MAXLOC));                                                              \
    WRONG(MPI_ERR_OP, "op is MPI_REPLACE, which is only for one-sided communication",                                 \
          name(room, room + 4, 1, MPI_INT, MPI_REPLACE));                                                             \
    WRONG(MPI_ERR_OP, "op is MPI_NO_OP, which is only for one-sided communication",                                   \
          name(room, room + 4, 1, made, MPI_NO_OP));                                                                  \
    WRONG(MPI_ERR_OP, "op is MPI_SUM, which is not defined for a derived datatype",                                   \
          name(room, room + 4, 1, made, MPI_SUM))

static void test_wrong(void)
{
    MPI_Datatype uncommitted, made, overlapping, narrow;
    MPI_Op op = MPI_OP_NULL, freed;
    WRONG(MPI_ERR_ARG, "user_fn is a NULL pointer", MPI_Op_create(NULL, 1, &op));
    WRONG(MPI_ERR_ARG, "user_fn is a NULL pointer", MPI_Op_create_c(NULL, 1, &op));
    WRONG(MPI_ERR_ARG, "op is a NULL pointer", MPI_Op_create(twice_plus, 1, NULL));
    WRONG(MPI_ERR_ARG, "op is a NULL pointer", MPI_Op_create_c(twice_plus_large, 1, NULL));
    WRONG(MPI_ERR_ARG, "op is a NULL pointer", MPI_Op_free(NULL));
    WRONG(MPI_ERR_OP, "*op is MPI_OP_NULL", MPI_Op_free(&op));
    op = MPI_MAX;
    WRONG(MPI_ERR_OP, "*op is MPI_MAX, which cannot be freed", MPI_Op_free(&op));
    WRONG(MPI_ERR_OP, "op is MPI_OP_NULL", MPI_Op_commutative(MPI_OP_NULL, &number));
    WRONG(MPI_ERR_ARG, "commute is a NULL pointer", MPI_Op_commutative(MPI_SUM, NULL));
    CHECK_OK(MPI_Op_create(twice_plus, 1, &op));
    CHECK_OK(MPI_Type_contiguous(1, MPI_INT, &uncommitted));
    CHECK(MPI_Type_contiguous(1, MPI_INT, &made) == MPI_SUCCESS && MPI_Type_commit(&made) == MPI_SUCCESS);
    CHECK_OK(MPI_Type_contiguous(2, MPI_INT, &narrow));
    CHECK_OK(MPI_Type_create_resized(narrow, 0, 4, &overlapping));
    CHECK_OK(MPI_Type_commit(&overlapping));
    WRONG_REDUCE(MPI_Reduce_local);
    WRONG_REDUCE(MPI_Reduce_local_c);
    WRONG(MPI_ERR_COUNT, "more than memory can hold",
          MPI_Reduce_local_c(room, room + 4, INT64_MAX / 2, MPI_INT, MPI_SUM));
    MPI_Type_free(&uncommitted);
    MPI_Type_free(&made);
    MPI_Type_free(&narrow);
    MPI_Type_free(&overlapping);
    /* A freed handle is told. */
    freed = op;
    CHECK_OK(MPI_Op_free(&op));
    WRONG(MPI_ERR_OP, "was freed", MPI_Op_commutative(freed, &number));
    WRONG(MPI_ERR_OP, "was freed", MPI_Op_free(&freed));
    WRONG(MPI_ERR_OP, "was freed", MPI_Reduce_local(room, room + 4, 1, MPI_INT, freed));
}

int main(int argc, char **argv)
{
    MPI_Op forgotten;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    test_commutative();
    test_user();
    test_large();
    test_predefined();
    test_beyond();
    test_fortran();
    test_numbers();
    test_wrong();
    /* Finalize frees it, which the leak checker sees. */
    CHECK_OK(MPI_Op_create(twice_plus, 1, &forgotten));
    MPI_Finalize();
    puts("op_calls: passed");
    return 0;
}
