/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program may take for the name of a port, or read from a file of names: any text.
 *
 * FUZZ_SOURCES: src/dynamic/port_name.c src/base/place.c
 */
#include "dynamic/port.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* What is understood is printed in a way that is understood as the same; a description tells no secret. */
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char text[2 * COR_PORT_MAX] = "", again[COR_PORT_MAX], where[PORT_WHERE_MAX];
    port_name name, other;
    memcpy(text, data, size < sizeof text ? size : sizeof text - 1);
    port_name_describe(text, where);
    if (!port_name_parse(text, &name))
        return 0;
    if (strlen(text) >= 25 && strstr(where, (memcpy(again, text + 9, 16), again[16] = 0, again)))
        abort();
    port_name_print(&name, again);
    if (!port_name_parse(again, &other) || memcmp(&name, &other, sizeof name) != 0)
        abort();
    return 0;
}
