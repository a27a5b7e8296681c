/* SPDX-License-Identifier: Apache-2.0 */
#include "win_field.h"

#include <stdlib.h>
#include <string.h>

const char *const field_flavour_names[] = {"created", "allocated", "shared", "dynamic"};

static int field_open(const test *t, field *f)
{
    static const int units[] = {1, 8, 4, 16, 3, 2, 24, 5};
    int unit = units[(t->rank + (int)f->flavour) % 8], code = MPI_SUCCESS;
    MPI_Aint bytes = (MPI_Aint)f->bytes, base = 0;
    if (f->flavour == FIELD_CREATED || f->flavour == FIELD_DYNAMIC)
        f->memory = test_alloc(f->bytes);
    if (f->flavour == FIELD_CREATED)
        CHECK_OK(MPI_Win_create(f->memory, bytes, unit, MPI_INFO_NULL, t->comm, &f->win));
    else if (f->flavour == FIELD_ALLOCATED)
        CHECK_OK(MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, t->comm, &f->memory, &f->win));
    else if (f->flavour == FIELD_SHARED)
        code = MPI_Win_allocate_shared(bytes, unit, MPI_INFO_NULL, t->comm, &f->memory, &f->win);
    if (code != MPI_SUCCESS) {
        CHECK_EQUAL(MPI_ERR_RMA_SHARED, test_class(code));
        return 0;
    }
    if (f->flavour == FIELD_DYNAMIC) {
        unit = 1;
        CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, t->comm, &f->win));
        CHECK_OK(MPI_Win_attach(f->win, f->memory, bytes));
        CHECK_OK(MPI_Get_address(f->memory, &base));
    }
    CHECK_OK(MPI_Win_set_errhandler(f->win, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Allgather(&unit, 1, MPI_INT, f->units, 1, MPI_INT, t->comm));
    CHECK_OK(MPI_Allgather(&base, 1, MPI_AINT, f->bases, 1, MPI_AINT, t->comm));
    return 1;
}

int field_make(const test *t, field_flavour flavour, size_t bytes, field *f)
{
    *f = (field){.flavour = flavour, .win = MPI_WIN_NULL, .bytes = bytes};
    f->units = calloc((size_t)t->size, sizeof *f->units);
    f->bases = calloc((size_t)t->size, sizeof *f->bases);
    f->expected = malloc(bytes + 1);
    f->mask = malloc(bytes + 1);
    CHECK(f->units && f->bases && f->expected && f->mask);
    if (field_open(t, f))
        return 1;
    field_free(f);
    return 0;
}

void field_free(field *f)
{
    if (f->win != MPI_WIN_NULL && f->flavour == FIELD_DYNAMIC)
        CHECK_OK(MPI_Win_detach(f->win, f->memory));
    if (f->win != MPI_WIN_NULL)
        CHECK_OK(MPI_Win_free(&f->win));
    if (f->flavour == FIELD_CREATED || f->flavour == FIELD_DYNAMIC)
        test_free(f->memory);
    free(f->units);
    free(f->bases);
    free(f->expected);
    free(f->mask);
}

void field_reset(field *f, uint64_t key)
{
    test_fill(f->expected, f->bytes, key);
    memset(f->mask, 1, f->bytes);
}

void field_load(const test *t, field *f)
{
    test_own_begin(t, f->win);
    memcpy(f->memory, f->expected, f->bytes);
    test_own_end(t, f->win);
}

void field_check(const test *t, field *f)
{
    test_own_begin(t, f->win);
    CHECK_SAME("the window", f->expected, f->memory, f->mask, f->bytes);
    test_own_end(t, f->win);
}

MPI_Aint field_displacement(const field *f, int rank, size_t byte)
{
    CHECK(byte % (size_t)f->units[rank] == 0);
    return MPI_Aint_add(f->bases[rank], (MPI_Aint)byte / f->units[rank]);
}
