/* SPDX-License-Identifier: Apache-2.0 */
/* Error classes and codes that the program adds. */
#include "comm_suite.h"

#include <string.h>

static void expect_text(int code, const char *expected)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    CHECK_OK(MPI_Error_string(code, text, &length));
    CHECK_EQUAL((int)strlen(expected), length);
    if (strcmp(text, expected) != 0)
        CHECK_FAIL("the text of %d is \"%s\", not \"%s\"", code, text, expected);
}

void case_error_codes(const test *t)
{
    int class, code, other, found, *last, flag, before;
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
    before = *last;
    CHECK_OK(MPI_Add_error_class(&class));
    CHECK(class > MPI_ERR_LASTCODE);
    CHECK_OK(MPI_Add_error_code(class, &code));
    CHECK_OK(MPI_Add_error_code(MPI_ERR_RANK, &other));
    CHECK_EQUAL(other, *last);
    CHECK_OK(MPI_Error_class(class, &found));
    CHECK_EQUAL(class, found);
    CHECK_OK(MPI_Error_class(code, &found));
    CHECK_EQUAL(class, found);
    CHECK_OK(MPI_Error_class(other, &found));
    CHECK_EQUAL(MPI_ERR_RANK, found);
    expect_text(code, "");
    CHECK_OK(MPI_Add_error_string(code, "out of tea"));
    CHECK_OK(MPI_Add_error_string(class, "kitchen"));
    expect_text(code, "out of tea");
    CHECK_OK(MPI_Add_error_string(code, "out of coffee"));
    expect_text(code, "out of coffee");
    expect_text(class, "kitchen");
    /* They go through handlers like any other. */
    CHECK_OK(MPI_Comm_call_errhandler(t->comm, code));
    CHECK_EQUAL(MPI_ERR_ARG, MPI_Remove_error_class(class)); /* it has a code */
    CHECK_EQUAL(MPI_ERR_ARG, MPI_Remove_error_code(code));   /* it has a text */
    CHECK_OK(MPI_Error_class(code, &found));
    expect_text(code, "out of coffee");
    CHECK_OK(MPI_Remove_error_string(code));
    expect_text(code, "");
    CHECK_EQUAL(MPI_ERR_ARG, MPI_Remove_error_string(code));
    CHECK_OK(MPI_Remove_error_code(code));
    CHECK_EQUAL(MPI_ERR_ARG, MPI_Error_class(code, &found));
    CHECK_EQUAL(MPI_ERR_ARG, MPI_Remove_error_class(class)); /* it has a text */
    CHECK_OK(MPI_Remove_error_string(class));
    CHECK_OK(MPI_Remove_error_class(class));
    CHECK_EQUAL(MPI_ERR_ARG, MPI_Remove_error_class(MPI_ERR_RANK));
    CHECK_EQUAL(MPI_ERR_ARG, MPI_Add_error_string(MPI_ERR_RANK, "x"));
    CHECK_OK(MPI_Remove_error_code(other));
    CHECK_EQUAL(before, *last);
}
