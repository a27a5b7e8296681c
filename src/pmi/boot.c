#include "pmi/boot.h"

#include "pmi/boot_private.h"
#include "pmi/pmi_line.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- which way -------------------------------------------------------------------------------------------------- */

/* A variable that must hold a number from 0 on. */
static int boot_number(const char *variable, int *value_p, cor_fault *fault)
{
    const char *text = getenv(variable);
    if (!text)
        return cor_fault_set(fault, COR_ERR_BOOT,
                             "PMI_FD is set but %s is not: the launcher's environment is incomplete", variable);
    if (!cor_pmi_parse_int(text, value_p) || *value_p < 0)
        return cor_fault_set(fault, COR_ERR_BOOT, "%s is \"%.40s\", which is no number a launcher would set", variable,
                             text);
    return COR_OK;
}

static int boot_without_socket(cor_boot **boot_p, cor_fault *fault)
{
    if (getenv("PMI_PORT"))
        return cor_fault_set(fault, COR_ERR_BOOT,
                             "PMI_PORT is set but PMI_FD is not: only launchers that hand over a socket (PMI_FD) are "
                             "spoken to");
    static const char *const partners[] = {"PMI_RANK", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof partners / sizeof partners[0]; i++)
        if (getenv(partners[i]))
            return cor_fault_set(fault, COR_ERR_BOOT,
                                 "%s is set but PMI_FD is not: the launcher's environment is incomplete", partners[i]);
    return cor_boot_alone_open(boot_p, fault);
}

int cor_boot_open(const cor_log *log, cor_boot **boot_p, cor_fault *fault)
{
    if (!getenv("PMI_FD"))
        return boot_without_socket(boot_p, fault);
    int fd = 0, rank = 0, size = 0;
    int code = boot_number("PMI_FD", &fd, fault);
    if (code == COR_OK)
        code = boot_number("PMI_RANK", &rank, fault);
    if (code == COR_OK)
        code = boot_number("PMI_SIZE", &size, fault);
    if (code != COR_OK)
        return code;
    if (rank >= size)
        return cor_fault_set(fault, COR_ERR_BOOT, "PMI_RANK is %d and PMI_SIZE is %d: the rank must be below the size",
                             rank, size);
    struct stat what;
    if (fstat(fd, &what) != 0 || !(S_ISSOCK(what.st_mode) || S_ISFIFO(what.st_mode)))
        return cor_fault_set(fault, COR_ERR_BOOT,
                             "PMI_FD is %d, which is not an open socket: this process was not started by the launcher "
                             "itself",
                             fd);
    return cor_boot_pmi1_open(fd, rank, size, log, boot_p, fault);
}

/* ---- what the ways share ---------------------------------------------------------------------------------------- */

boot_values *cor_boot_values_create(int size, boot_values **list)
{
    size_t count = (size_t)size;
    boot_values *values = calloc(1, sizeof *values + count * (sizeof(char *) + COR_BOOT_VALUE_MAX + 1));
    if (!values)
        return NULL;
    values->by_rank = (const char **)(values + 1);
    char *texts = (char *)(values->by_rank + count);
    for (size_t rank = 0; rank < count; rank++)
        values->by_rank[rank] = texts + rank * (COR_BOOT_VALUE_MAX + 1);
    values->next = *list;
    *list = values;
    return values;
}

void cor_boot_values_set(boot_values *values, int rank, const char *value)
{
    size_t length = strnlen(value, COR_BOOT_VALUE_MAX);
    char *text = (char *)values->by_rank[rank];
    memcpy(text, value, length);
    text[length] = '\0';
}

void cor_boot_values_destroy(boot_values **list)
{
    while (*list) {
        boot_values *values = *list;
        *list = values->next;
        free(values);
    }
}

static int boot_is_word(const char *text, size_t maximum)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        if (text[i] <= ' ' || text[i] >= 127)
            return 0;
    return length >= 1 && length <= maximum;
}

int cor_boot_check_value(const char *key, const char *value, cor_fault *fault)
{
    if (!boot_is_word(key, 32) || strchr(key, '='))
        return cor_fault_set(fault, COR_ERR_ARG, "\"%.40s\" cannot be a key of an exchange", key);
    if (!boot_is_word(value, COR_BOOT_VALUE_MAX))
        return cor_fault_set(fault, COR_ERR_ARG, "\"%.80s\" cannot be exchanged as the value of %s", value, key);
    return COR_OK;
}
