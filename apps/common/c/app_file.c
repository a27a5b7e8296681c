/* SPDX-License-Identifier: Apache-2.0 */
#include "app_file.h"

#include <errno.h>

int app_file_begin(app_file *file, const char *path)
{
    file->path = path;
    snprintf(file->part, sizeof file->part, "%.4000s.part", path);
    file->out = fopen(file->part, "wb");
    return file->out != NULL;
}

int app_file_end(app_file *file)
{
    int is_fine = !ferror(file->out);
    is_fine = fclose(file->out) == 0 && is_fine && rename(file->part, file->path) == 0;
    int error = errno;
    if (!is_fine)
        remove(file->part);
    errno = error;
    return is_fine;
}
