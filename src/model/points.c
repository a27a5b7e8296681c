/* SPDX-License-Identifier: Apache-2.0 */
#include "model/points.h"

#include "base/knob.h"
#include "model/metrics.h"
#include "model/text_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_COLUMNS_MAX = 64, POINTS_REMARKS_MAX = 1 << 14 };

/* Microseconds: from a millionth of a nanosecond to eleven days. */
static const double points_least = 1e-9, points_most = 1e12;

/* Columns that are looked for, after those of the key. */
enum { POINTS_RANKS = COR_MODEL_KEYS, POINTS_BYTES, POINTS_UNIT, POINTS_VALUE, POINTS_WANTED };

typedef struct points_reader {
    cor_text_lines text;
    int column_count;
    int column_of[POINTS_WANTED];
    int spread_column; /* -1: there is none */
    const char *names[POINTS_WANTED];
    cor_model_data *data;
} points_reader;

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Cut a line at its commas; returns how many fields it has, or more than fit. */
static int points_split(char *line, char *fields_p[POINTS_COLUMNS_MAX])
{
    int count = 0;
    for (char *at = line; at; count++) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma++ = '\0';
        if (count < POINTS_COLUMNS_MAX)
            fields_p[count] = at;
        at = comma;
    }
    return count;
}

/* The number of the column, or -1. */
static int points_find(char **fields, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(fields[i], name) == 0)
            return i;
    return -1;
}

static int points_columns(points_reader *reader, char *line)
{
    char *fields[POINTS_COLUMNS_MAX];
    reader->column_count = points_split(line, fields);
    if (reader->column_count > POINTS_COLUMNS_MAX)
        return cor_text_refuse(&reader->text, "there are %d columns; at most %d are understood", reader->column_count,
                               POINTS_COLUMNS_MAX);
    reader->spread_column = points_find(fields, reader->column_count, "spread");
    for (int i = 0; i < POINTS_WANTED; i++) {
        reader->column_of[i] = points_find(fields, reader->column_count, reader->names[i]);
        if (reader->column_of[i] >= 0)
            continue;
        const char *nearest = cor_nearest(reader->names[i], (const char *const *)fields, (size_t)reader->column_count);
        return cor_text_refuse(&reader->text, "there is no column \"%s\"%s%.32s%s", reader->names[i],
                               nearest ? "; is it the one called \"" : "", nearest ? nearest : "",
                               nearest ? "\"?" : "");
    }
    return COR_OK;
}

/* A number of digits, a point and an exponent; not a hexadecimal one, none that is infinite. */
static int points_number(const char *text, double *value_p)
{
    char *end;
    if (!*text || strspn(text, "0123456789.eE+-") != strlen(text))
        return 0;
    *value_p = strtod(text, &end);
    return !*end && isfinite(*value_p);
}

/* Microseconds of a unit, or 0: it is no time. */
static double points_unit(const char *unit)
{
    static const struct {
        const char *name;
        double us;
    } units[] = {{"ns", 1e-3}, {"us", 1}, {"ms", 1e3}, {"s", 1e6}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, unit) == 0)
            return units[i].us;
    return 0;
}

static void points_remark(cor_model_data *data, const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    size_t had = data->remarks ? strlen(data->remarks) : 0, length = strlen(text);
    char *grown = length && had + length + 2 <= POINTS_REMARKS_MAX ? realloc(data->remarks, had + length + 2) : NULL;
    if (!grown) /* remarks are a courtesy */
        return;
    data->remarks = grown;
    for (size_t i = 0; i < length; i++)
        grown[had + i] = (unsigned char)text[i] < ' ' ? ' ' : text[i];
    memcpy(grown + had + length, "\n", 2);
}

/* ---- curves ------------------------------------------------------------------------------------------------------ */

static cor_model_curve *points_curve(cor_model_data *data, const cor_model_key *key, int ranks)
{
    for (size_t i = data->count; i-- > 0;)
        if (data->curves[i].ranks == ranks && cor_model_key_is_equal(&data->curves[i].key, key))
            return &data->curves[i];
    cor_model_curve *grown = realloc(data->curves, (data->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    data->curves = grown;
    grown[data->count] = (cor_model_curve){.key = *key, .ranks = ranks};
    return &grown[data->count++];
}

static int points_add(cor_model_curve *curve, const cor_model_point *point)
{
    if (curve->count == curve->room) {
        size_t room = curve->room ? 2 * curve->room : 32;
        cor_model_point *grown = realloc(curve->points, room * sizeof *grown);
        if (!grown)
            return 0;
        curve->points = grown;
        curve->room = room;
    }
    curve->points[curve->count++] = *point;
    return 1;
}

/* "apart+check": held out, of the mode "apart". */
static int points_is_check(char *mode)
{
    static const char mark[] = "+check";
    size_t length = strlen(mode);
    if (length < sizeof mark - 1 || strcmp(mode + length - (sizeof mark - 1), mark) != 0)
        return 0;
    mode[length - (sizeof mark - 1)] = '\0';
    return 1;
}

static int points_key(const points_reader *reader, char **fields, cor_model_key *key_p)
{
    memset(key_p, 0, sizeof *key_p);
    for (int i = 0; i < COR_MODEL_KEYS; i++) {
        const char *text = fields[reader->column_of[i]];
        if (!cor_model_is_word(text))
            return cor_text_refuse(&reader->text,
                                   "%s is \"%.40s\"; it may have up to %d letters, digits and + - . _ / :",
                                   reader->names[i], text, COR_MODEL_WORD - 1);
        strcpy(key_p->words[i], text);
    }
    if (!key_p->words[COR_MODEL_TEST][0])
        return cor_text_refuse(&reader->text, "the test has no name");
    return COR_OK;
}

static int points_values(const points_reader *reader, char **fields, double scale, cor_model_point *point_p)
{
    double ranks;
    const char *text = fields[reader->column_of[POINTS_RANKS]];
    if (!points_number(text, &ranks) || ranks < 1 || ranks > 1e9 || ranks != floor(ranks))
        return cor_text_refuse(&reader->text, "ranks is \"%.40s\"; it must be a whole number of at least 1", text);
    point_p->ranks = (int)ranks;
    text = fields[reader->column_of[POINTS_BYTES]];
    if (!points_number(text, &point_p->bytes) || point_p->bytes < 0 || point_p->bytes > COR_MODEL_BYTES_MAX ||
        point_p->bytes != floor(point_p->bytes))
        return cor_text_refuse(&reader->text, "bytes is \"%.40s\"; it must be a whole number", text);
    text = fields[reader->column_of[POINTS_VALUE]];
    if (!points_number(text, &point_p->us) || !(point_p->us > 0))
        return cor_text_refuse(&reader->text, "%s is \"%.40s\"; a time is a number above 0",
                               reader->names[POINTS_VALUE], text);
    point_p->us *= scale;
    if (point_p->us < points_least || point_p->us > points_most)
        return cor_text_refuse(&reader->text, "%s is \"%.40s\", which is no time of a message",
                               reader->names[POINTS_VALUE], text);
    return COR_OK;
}

static int points_row(points_reader *reader, char *line)
{
    char *fields[POINTS_COLUMNS_MAX];
    int count = points_split(line, fields);
    if (count != reader->column_count)
        return cor_text_refuse(&reader->text, "%d field%s, but the first line names %d columns", count,
                               count == 1 ? "" : "s", reader->column_count);
    double scale = points_unit(fields[reader->column_of[POINTS_UNIT]]);
    if (scale == 0) {
        reader->data->other_lines++;
        return COR_OK;
    }
    cor_model_key key;
    cor_model_point point = {.is_held_out = points_is_check(fields[reader->column_of[COR_MODEL_MODE]])};
    int rc = points_key(reader, fields, &key);
    if (rc == COR_OK)
        rc = points_values(reader, fields, scale, &point);
    if (rc != COR_OK)
        return rc;
    int ranks = cor_model_primitive_find(key.words[COR_MODEL_TEST]) ? 0 : point.ranks;
    cor_model_curve *curve = points_curve(reader->data, &key, ranks);
    if (!curve || !points_add(curve, &point))
        return cor_fault_set(reader->text.fault, COR_ERR_MEMORY, "out of memory");
    double spread;
    if (reader->spread_column >= 0 && points_number(fields[reader->spread_column], &spread))
        reader->data->unsteady_lines += spread > COR_MODEL_SPREAD_MAX;
    return COR_OK;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static int points_line(void *context, char *line)
{
    points_reader *reader = context;
    if (line[0] == '#')
        points_remark(reader->data, line + 1);
    else if (line[0])
        return reader->column_count ? points_row(reader, line) : points_columns(reader, line);
    return COR_OK;
}

int cor_model_data_read_stream(cor_model_data *data, FILE *stream, const char *name, const char *value,
                               cor_fault *fault)
{
    points_reader reader = {.text = {.name = name, .fault = fault}, .data = data};
    for (int i = 0; i < COR_MODEL_KEYS; i++)
        reader.names[i] = cor_model_key_name((cor_model_key_id)i);
    reader.names[POINTS_RANKS] = "ranks";
    reader.names[POINTS_BYTES] = "bytes";
    reader.names[POINTS_UNIT] = "unit";
    reader.names[POINTS_VALUE] = value;
    *data = (cor_model_data){0};
    int rc = cor_text_lines_read(&reader.text, stream, points_line, &reader);
    if (rc == COR_OK && data->count == 0)
        rc = cor_fault_set(fault, COR_ERR_ARG, "%s has no times to fit%s", name,
                           data->other_lines ? ": no line has the unit ns, us, ms or s" : "");
    return rc;
}

int cor_model_data_read(cor_model_data *data, const char *path, const char *value, cor_fault *fault)
{
    *data = (cor_model_data){0};
    FILE *stream = cor_text_open(path, fault);
    if (!stream)
        return COR_ERR_SYSTEM;
    int rc = cor_model_data_read_stream(data, stream, path, value, fault);
    fclose(stream);
    return rc;
}

void cor_model_data_fini(cor_model_data *data)
{
    for (size_t i = 0; i < data->count; i++)
        free(data->curves[i].points);
    free(data->curves);
    free(data->remarks);
    *data = (cor_model_data){0};
}

/* ---- held out ---------------------------------------------------------------------------------------------------- */

/* splitmix64 */
static uint64_t points_random(uint64_t *state)
{
    uint64_t value = *state += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

size_t cor_model_curve_hold_out(cor_model_curve *curve, size_t wanted, uint64_t *seed)
{
    size_t held_out = 0, inner = 0;
    double low = curve->count ? curve->points[0].bytes : 0, high = low;
    for (size_t i = 0; i < curve->count; i++) {
        held_out += curve->points[i].is_held_out != 0;
        low = curve->points[i].bytes < low ? curve->points[i].bytes : low;
        high = curve->points[i].bytes > high ? curve->points[i].bytes : high;
    }
    if (held_out)
        return held_out;
    for (size_t i = 0; i < curve->count; i++)
        inner += curve->points[i].bytes > low && curve->points[i].bytes < high;
    wanted = wanted < curve->count / 3 ? wanted : curve->count / 3;
    wanted = wanted < inner ? wanted : inner;
    /* Every set of so many points is as likely as any other. */
    for (size_t i = 0; i < curve->count && held_out < wanted; i++) {
        if (curve->points[i].bytes <= low || curve->points[i].bytes >= high)
            continue;
        if (points_random(seed) % inner-- < wanted - held_out) {
            curve->points[i].is_held_out = 1;
            held_out++;
        }
    }
    return held_out;
}
