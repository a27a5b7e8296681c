/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/calls.h"

static const char *const traced_names[COR_TRACED_CALLS][2] = {
#define TRACED_ROW(NAME, in_c, in_java) {in_c, in_java},
    COR_TRACED_LIST(TRACED_ROW)
#undef TRACED_ROW
};

const char *cor_traced_name(unsigned call, unsigned face)
{
    return call < COR_TRACED_CALLS ? traced_names[call][face == COR_FACE_JAVA] : "?";
}
