/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Enumerations of the tool interface: the choices of a control variable, and the elements of an event. A handle is a
 * number: 1 for the elements, and from 2 on the control variable's.
 */
#include "mpi/face_tool.h"

#include <stdio.h>
#include <string.h>

enum { ENUM_ELEMENTS = 1, ENUM_SETTINGS = 2, ENUM_WORD_MAX = 64 };

MPI_T_enum face_tool_enum_of_setting(size_t index)
{
    return (MPI_T_enum)(uintptr_t)(ENUM_SETTINGS + index);
}

MPI_T_enum face_tool_enum_of_event(void)
{
    return (MPI_T_enum)(uintptr_t)ENUM_ELEMENTS;
}

/* The setting whose choices the handle names; NULL: none. */
static const cor_knob *enum_knob(MPI_T_enum handle)
{
    uintptr_t index = (uintptr_t)handle - ENUM_SETTINGS;
    const cor_knob *knob = index < cor_setting_count() ? cor_setting_at(index).knob : NULL;
    return knob && knob->type == COR_KNOB_CHOICE ? knob : NULL;
}

static int enum_is_elements(MPI_T_enum handle)
{
    return (uintptr_t)handle == ENUM_ELEMENTS;
}

/* The choice of this number: where it begins among "auto|never|always", and its length; NULL: there are fewer. */
static const char *enum_choice(const char *choices, int index, size_t *length_p)
{
    for (; index > 0 && choices; index--) {
        choices = strchr(choices, '|');
        choices += choices != NULL;
    }
    if (choices)
        *length_p = strcspn(choices, "|");
    return choices;
}

static int enum_get_info(const char *call, MPI_T_enum enumtype, int *num, char *name, int *name_len)
{
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    const cor_knob *knob = enum_knob(enumtype);
    if (!knob && !enum_is_elements(enumtype))
        return MPI_T_ERR_INVALID_HANDLE;
    if (!face_tool_is_length(name_len))
        return MPI_T_ERR_INVALID;
    int count = FACE_TOOL_ELEMENTS;
    if (knob) {
        size_t length;
        for (count = 0; enum_choice(knob->choices, count, &length); count++)
            ;
    }
    face_tool_int(count, num);
    face_tool_string(knob ? knob->name : "elements of an event", name, name_len);
    return MPI_SUCCESS;
}

FACE_API(T_enum_get_info, enum_get_info)

/* The name of an item; `word` is room for it. NULL: there is no such item. */
static const char *enum_item(const cor_knob *knob, int index, char word[ENUM_WORD_MAX])
{
    size_t length = 0;
    if (!knob)
        return index >= 0 && index < FACE_TOOL_ELEMENTS ? face_tool_elements[index].name : NULL;
    const char *choice = index >= 0 ? enum_choice(knob->choices, index, &length) : NULL;
    if (!choice)
        return NULL;
    snprintf(word, ENUM_WORD_MAX, "%.*s", (int)length, choice);
    return word;
}

static int enum_get_item(const char *call, MPI_T_enum enumtype, int indx, int *value, char *name, int *name_len)
{
    char word[ENUM_WORD_MAX];
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    const cor_knob *knob = enum_knob(enumtype);
    if (!knob && !enum_is_elements(enumtype))
        return MPI_T_ERR_INVALID_HANDLE;
    if (!face_tool_is_length(name_len))
        return MPI_T_ERR_INVALID;
    const char *text = enum_item(knob, indx, word);
    if (!text)
        return MPI_T_ERR_INVALID_INDEX;
    face_tool_int(indx, value);
    face_tool_string(text, name, name_len);
    return MPI_SUCCESS;
}

FACE_API(T_enum_get_item, enum_get_item)
