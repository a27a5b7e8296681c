/* Error classes and codes that the program adds. */
#include "comm_suite.h"

#include <string.h>

static void expect_text(const test *t, int code, const char *expected)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    OK(t, MPI_Error_string(code, text, &length));
    EXPECT(t, (int)strlen(expected), length);
    if (strcmp(text, expected) != 0)
        FAIL(t, "the text of %d is \"%s\", not \"%s\"", code, text, expected);
}

void case_error_codes(const test *t)
{
    int class, code, other, found, *last, flag, before;
    OK(t, MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
    before = *last;
    OK(t, MPI_Add_error_class(&class));
    EXPECT(t, 1, class > MPI_ERR_LASTCODE);
    OK(t, MPI_Add_error_code(class, &code));
    OK(t, MPI_Add_error_code(MPI_ERR_RANK, &other));
    EXPECT(t, other, *last);
    OK(t, MPI_Error_class(class, &found));
    EXPECT(t, class, found);
    OK(t, MPI_Error_class(code, &found));
    EXPECT(t, class, found);
    OK(t, MPI_Error_class(other, &found));
    EXPECT(t, MPI_ERR_RANK, found);
    expect_text(t, code, "");
    OK(t, MPI_Add_error_string(code, "out of tea"));
    OK(t, MPI_Add_error_string(class, "kitchen"));
    expect_text(t, code, "out of tea");
    OK(t, MPI_Add_error_string(code, "out of coffee"));
    expect_text(t, code, "out of coffee");
    expect_text(t, class, "kitchen");
    /* They go through handlers like any other. */
    OK(t, MPI_Comm_call_errhandler(t->comm, code));
    EXPECT(t, MPI_ERR_ARG, MPI_Remove_error_class(class)); /* it has a code */
    EXPECT(t, MPI_ERR_ARG, MPI_Remove_error_code(code));   /* it has a text */
    OK(t, MPI_Error_class(code, &found));
    expect_text(t, code, "out of coffee");
    OK(t, MPI_Remove_error_string(code));
    expect_text(t, code, "");
    EXPECT(t, MPI_ERR_ARG, MPI_Remove_error_string(code));
    OK(t, MPI_Remove_error_code(code));
    EXPECT(t, MPI_ERR_ARG, MPI_Error_class(code, &found));
    OK(t, MPI_Remove_error_class(class));
    EXPECT(t, MPI_ERR_ARG, MPI_Remove_error_class(MPI_ERR_RANK));
    EXPECT(t, MPI_ERR_ARG, MPI_Add_error_string(MPI_ERR_RANK, "x"));
    OK(t, MPI_Remove_error_code(other));
    EXPECT(t, before, *last);
}
