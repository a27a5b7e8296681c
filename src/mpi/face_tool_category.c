/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Categories: number 0 contains all others, which are the topics of settings, in their order, and then those that only
 * counters have. Every variable and every type of events is in one of these. Nothing is ever added.
 */
#include "mpi/face_tool.h"

#include <stdio.h>
#include <string.h>

enum { CATEGORY_TEXT_MAX = 128 };

static int category_count(void)
{
    return 1 + cor_setting_topic_count() + 1;
}

static int category_is_index(int index)
{
    return index >= 0 && index < category_count();
}

static const char *category_name(int index)
{
    if (index == 0)
        return "corunna";
    return index <= cor_setting_topic_count() ? cor_setting_topic(index - 1) : COR_COUNTER_CALLS;
}

/* ---- members ---------------------------------------------------------------------------------------------------- */

/* Is member `i` of the table in the category? */
typedef int (*category_member_fn)(int category, int i);

static int category_has_cvar(int category, int i)
{
    return cor_setting_at((size_t)i).topic == category - 1;
}

static int category_has_pvar(int category, int i)
{
    return strcmp(cor_counters[i].topic, category_name(category)) == 0;
}

static int category_has_event(int category, int i)
{
    return strcmp(category_name(category), COR_COUNTER_CALLS) == 0;
}

static int category_has_category(int category, int i)
{
    return category == 0 && i > 0;
}

/* Write up to `room` members; returns how many there are. */
static int category_list(int category, category_member_fn has, int count, int room, int *indices)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        if (has(category, i)) {
            if (found < room)
                indices[found] = i;
            found++;
        }
    return found;
}

static int category_members(int category, category_member_fn has, int count, int len, int *indices)
{
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!category_is_index(category))
        return MPI_T_ERR_INVALID_INDEX;
    if (len < 0 || (len > 0 && !indices))
        return MPI_T_ERR_INVALID;
    category_list(category, has, count, len, indices);
    return MPI_SUCCESS;
}

static int category_get_cvars(const char *call, int cat_index, int len, int *indices)
{
    return category_members(cat_index, category_has_cvar, (int)cor_setting_count(), len, indices);
}

FACE_API(T_category_get_cvars, category_get_cvars)

static int category_get_pvars(const char *call, int cat_index, int len, int *indices)
{
    return category_members(cat_index, category_has_pvar, (int)cor_counter_count, len, indices);
}

FACE_API(T_category_get_pvars, category_get_pvars)

static int category_get_events(const char *call, int cat_index, int len, int *indices)
{
    return category_members(cat_index, category_has_event, face_tool_event_count(), len, indices);
}

FACE_API(T_category_get_events, category_get_events)

static int category_get_categories(const char *call, int cat_index, int len, int *indices)
{
    return category_members(cat_index, category_has_category, category_count(), len, indices);
}

FACE_API(T_category_get_categories, category_get_categories)

/* ---- queries ---------------------------------------------------------------------------------------------------- */

static int category_get_num(const char *call, int *num_cat)
{
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!num_cat)
        return MPI_T_ERR_INVALID;
    *num_cat = category_count();
    return MPI_SUCCESS;
}

FACE_API(T_category_get_num, category_get_num)

static int category_get_info(const char *call, int cat_index, char *name, int *name_len, char *desc, int *desc_len,
                             int *num_cvars, int *num_pvars, int *num_categories)
{
    char text[CATEGORY_TEXT_MAX] = "all variables and events of Corunna";
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!category_is_index(cat_index))
        return MPI_T_ERR_INVALID_INDEX;
    if (!face_tool_is_length(name_len) || !face_tool_is_length(desc_len))
        return MPI_T_ERR_INVALID;
    if (cat_index > 0)
        snprintf(text, sizeof text, "settings, counters and events about: %s", category_name(cat_index));
    face_tool_string(category_name(cat_index), name, name_len);
    face_tool_string(text, desc, desc_len);
    face_tool_int(category_list(cat_index, category_has_cvar, (int)cor_setting_count(), 0, NULL), num_cvars);
    face_tool_int(category_list(cat_index, category_has_pvar, (int)cor_counter_count, 0, NULL), num_pvars);
    face_tool_int(category_list(cat_index, category_has_category, category_count(), 0, NULL), num_categories);
    return MPI_SUCCESS;
}

FACE_API(T_category_get_info, category_get_info)

static int category_get_num_events(const char *call, int cat_index, int *num_events)
{
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!category_is_index(cat_index))
        return MPI_T_ERR_INVALID_INDEX;
    if (!num_events)
        return MPI_T_ERR_INVALID;
    *num_events = category_list(cat_index, category_has_event, face_tool_event_count(), 0, NULL);
    return MPI_SUCCESS;
}

FACE_API(T_category_get_num_events, category_get_num_events)

static int category_get_index(const char *call, const char *name, int *cat_index)
{
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!name || !cat_index)
        return MPI_T_ERR_INVALID;
    for (int i = 0; i < category_count(); i++)
        if (strcmp(category_name(i), name) == 0) {
            *cat_index = i;
            return MPI_SUCCESS;
        }
    return MPI_T_ERR_INVALID_NAME;
}

FACE_API(T_category_get_index, category_get_index)

static int category_changed(const char *call, int *update_number)
{
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!update_number)
        return MPI_T_ERR_INVALID;
    *update_number = 0;
    return MPI_SUCCESS;
}

FACE_API(T_category_changed, category_changed)
