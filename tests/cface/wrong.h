/* SPDX-License-Identifier: Apache-2.0 */
/* The words in which wrong calls are written: one row a call, with the class and a piece of the sentence expected. */
#ifndef CFACE_WRONG_H
#define CFACE_WRONG_H

#include "check.h"

#include <mpi.h>
#include <string.h>

static inline void expect(const char *file, int line, const char *call, int code, int expected_class,
                          const char *fragment)
{
    char text[MPI_MAX_ERROR_STRING], name[64];
    int length, error_class;
    snprintf(name, sizeof name, "%.*s: ", (int)strcspn(call, "("), call);
    if (code != expected_class)
        check_fail(file, line, "%s gave class %d, not %d", call, code, expected_class);
    CHECK(MPI_Error_class(code, &error_class) == MPI_SUCCESS && error_class == code);
    CHECK(MPI_Error_string(code, text, &length) == MPI_SUCCESS && length == (int)strlen(text));
    if (!strstr(text, name) || !strstr(text, fragment))
        check_fail(file, line, "%s said \"%s\", without \"%s\" or \"%s\"", call, text, name, fragment);
}

/* One row: the class, a piece of the sentence, the call. */
#define WRONG(expected_class, fragment, call) expect(__FILE__, __LINE__, #call, call, expected_class, fragment)

/* For functions that have no text to give: they may be called before MPI_Init. */
#define WRONG_EARLY(expected_class, call) CHECK((call) == (expected_class))

#endif
