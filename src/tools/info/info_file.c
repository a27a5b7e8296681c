/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/info/info_file.h"

#include "file/file.h"

#include <stdio.h>
#include <stdlib.h>

int cor_info_file(const char *path, int members)
{
    char *text = NULL;
    int rc = cor_file_explain(path, members, &text);
    if (rc != COR_OK) {
        fprintf(stderr, "corunna info: %s: %s\n", path, cor_error_text(rc));
        return 1;
    }
    fputs(text, stdout);
    free(text);
    return 0;
}
