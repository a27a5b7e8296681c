/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdio.h>

const char *cor_error_text(int code)
{
    switch (code) {
#define COR_ERROR_CASE(name, number, text)                                                                            \
    case number:                                                                                                      \
        return text;
        COR_ERROR_LIST(COR_ERROR_CASE)
#undef COR_ERROR_CASE
    default:
        return "unknown error";
    }
}

int cor_fault_set(cor_fault *fault, int code, const char *format, ...)
{
    if (fault) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(fault->text, sizeof fault->text, format, arguments);
        va_end(arguments);
        fault->code = code;
        fault->lost = 0;
        fault->lost_by = NULL;
    }
    return code;
}
