/* Numbers and names as text, and lines of them. What is written here is ASCII; names keep
 * their UTF-8. */
#include "report/report.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The length of the UTF-8 sequence at "text", 0 when it is broken: overlong forms, surrogates and
 * values past U+10FFFF are. */
static int sequence_length(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    int length = at[0] < 0x80                ? 1
            : at[0] >= 0xC2 && at[0] <= 0xDF ? 2
            : at[0] >= 0xE0 && at[0] <= 0xEF ? 3
            : at[0] >= 0xF0 && at[0] <= 0xF4 ? 4
                                             : 0;

    for (int i = 1; i < length; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    }
    bool overlong = (at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xF0 && at[1] < 0x90);
    bool surrogate = at[0] == 0xED && at[1] > 0x9F;
    return overlong || surrogate || (at[0] == 0xF4 && at[1] > 0x8F) ? 0 : length;
}

static bool is_control(const char *text, int length)
{
    const unsigned char *at = (const unsigned char *)text;

    return (length == 1 && (at[0] < ' ' || at[0] == 127)) ||
            (length == 2 && at[0] == 0xC2 && at[1] < 0xA0);
}

static const char *replace(
        struct sator_arena *arena, const char *text, const char *replacement, bool controls)
{
    struct sator_text out = {0};

    for (const char *at = text; *at != '\0';) {
        int length = sequence_length(at);
        if (length == 0 || (controls && is_control(at, length)))
            sator_text_add(&out, "%s", replacement);
        else
            sator_text_add_bytes(&out, at, (size_t)length);
        at += length == 0 ? 1 : length;
    }
    return sator_text_keep(&out, arena);
}

const char *report_clean(struct sator_arena *arena, const char *text)
{
    return text == NULL ? "-" : replace(arena, text, "?", true);
}

const char *report_utf8(struct sator_arena *arena, const char *text)
{
    return replace(arena, text, "\xEF\xBF\xBD", false);
}

/* ---- numbers ---- */

const char *report_count(struct sator_arena *arena, sator_int count)
{
    char digits[64];

    return sator_arena_strdup(arena, sator_int_format(count, ',', digits));
}

bool report_is_whole(double number)
{
    return fabs(number - round(number)) <= 1e-9 * fabs(number);
}

const char *report_fixed(struct sator_arena *arena, double number, int decimals)
{
    char digits[64], fraction[32];

    if (isnan(number))
        return "-";
    if (fabs(number) >= 1e15)
        return sator_arena_printf(arena, "%.6g", number);
    double scale = pow(10, decimals), scaled = round(fabs(number) * scale);
    double whole = floor(scaled / scale);
    sator_int_format((sator_int)whole, ',', digits);
    if (decimals == 0)
        return sator_arena_printf(arena, "%s%s", number < 0 ? "-" : "", digits);
    snprintf(fraction, sizeof fraction, "%0*.0f", decimals, scaled - whole * scale);
    return sator_arena_printf(arena, "%s%s.%s", number < 0 ? "-" : "", digits, fraction);
}

const char *report_number(struct sator_arena *arena, double number, int decimals)
{
    if (fabs(number) < 1e15 && report_is_whole(number))
        return report_count(arena, (sator_int)round(number));
    return report_fixed(arena, number, decimals);
}

static const char *with_noun(struct sator_arena *arena, const char *number, const char *noun)
{
    return sator_arena_printf(arena, "%s %s%s", number, noun, strcmp(number, "1") == 0 ? "" : "s");
}

const char *report_counted(struct sator_arena *arena, sator_int count, const char *noun)
{
    return with_noun(arena, report_count(arena, count), noun);
}

const char *report_room(struct sator_arena *arena, const struct sator_advice *item)
{
    double unit = item->needed < 1024 ? 1 : item->needed < 1048576 ? 1024 : 1048576;

    if (item->in_words)
        return report_quantity(arena, item->needed, 0, "word");
    return sator_arena_printf(arena, "%s %s", report_number(arena, item->needed / unit, 2),
            unit == 1              ? "B"
                    : unit == 1024 ? "KiB"
                                   : "MiB");
}

const char *report_quantity(
        struct sator_arena *arena, double number, int decimals, const char *noun)
{
    return with_noun(arena, report_number(arena, number, decimals), noun);
}

const char *report_energy_unit(double least_pj, double *unit_pj)
{
    static const char *const names[] = {"pJ", "nJ", "uJ", "mJ", "J"};
    enum {
        N_UNITS = sizeof names / sizeof *names
    };
    int unit = 0;

    *unit_pj = 1;
    while (unit + 1 < N_UNITS && least_pj >= 10000 * *unit_pj) {
        *unit_pj *= 1000;
        unit++;
    }
    return names[unit];
}

static const char *number_text(struct sator_arena *arena, double number, enum metric_format format,
        double unit_pj, int decimals)
{
    switch (format) {
    case FORMAT_PERCENT:
        return report_fixed(arena, 100 * number, 1);
    case FORMAT_ENERGY:
        return report_fixed(arena, number / unit_pj, 2);
    case FORMAT_PRODUCT:
        return sator_arena_printf(arena, "%.3e", number);
    default:
        return report_fixed(arena, number, decimals);
    }
}

const char *report_value(struct sator_arena *arena, const struct value *value,
        enum metric_format format, double unit_pj, int decimals)
{
    switch (value->kind) {
    case VALUE_NONE:
        break;
    case VALUE_COUNT:
        return report_count(arena, value->count);
    case VALUE_NUMBER:
        return number_text(arena, value->number, format, unit_pj, decimals);
    case VALUE_WORD:
        return report_clean(arena, value->word);
    }
    return "-";
}

/* ---- lines ---- */

struct look report_look(const struct sator_report_options *options)
{
    if (options->format != SATOR_FORMAT_TEXT)
        return (struct look){0};
    return (struct look){options->color, options->width};
}

/* The columns of the terminal that the "length" bytes at "line" take. */
static int line_width(const char *line, size_t length)
{
    int columns = 0;

    for (size_t i = 0; i < length; i++) {
        if (line[i] == '\033') { /* to the letter that ends it */
            while (i < length && line[i] != 'm')
                i++;
        } else {
            columns += ((unsigned char)line[i] & 0xC0) != 0x80;
        }
    }
    return columns;
}

/* Where the value of a line "  name         value" begins; two more than its indentation when it
 * has none, or not in the first half. */
static int value_column(const char *line, size_t length, int width)
{
    size_t begin = 0, i;

    while (begin < length && line[begin] == ' ')
        begin++;
    for (i = begin; i + 2 < length; i++) {
        if (line[i] == ' ' && line[i + 1] == ' ')
            break;
    }
    while (i < length && line[i] == ' ')
        i++;
    return i + 2 < length && (int)i <= width / 2 ? (int)i : (int)begin + 2;
}

/* The last blank of "line" that leaves at most "room" columns before it, behind "from"; else the
 * first one behind; "length" when there is none. */
static size_t break_at(const char *line, size_t length, size_t from, int room)
{
    size_t best = length;

    for (size_t i = from + 1; i < length; i++) {
        if (line[i] != ' ')
            continue;
        if (best < length && line_width(line, i) > room)
            break;
        best = i;
        if (line_width(line, i) > room)
            break;
    }
    return best;
}

static void add_line(struct sator_text *text, const char *line, size_t length, int width)
{
    int indent = value_column(line, length, width), used = 0;
    size_t from = 0;

    while (from < length && line[from] == ' ')
        from++;
    if (line_width(line, (size_t)indent < length ? (size_t)indent : length) == indent)
        from = (size_t)indent > from ? (size_t)indent : from;
    while (used + line_width(line, length) > width) {
        size_t at = break_at(line, length, from, width - used);
        if (at == length)
            break;
        sator_text_add_bytes(text, line, at);
        sator_text_add(text, "\n%*s", indent, "");
        while (at < length && line[at] == ' ')
            at++;
        line += at;
        length -= at;
        from = 0;
        used = indent;
    }
    sator_text_add_bytes(text, line, length);
    sator_text_add(text, "\n");
}

char *report_take(struct sator_text *text, struct look look)
{
    struct sator_text fitted = {0};

    if (look.width <= 0 || text->data == NULL)
        return sator_text_take(text);
    for (const char *line = text->data; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        add_line(&fitted, line, length, look.width);
        line += length + (line[length] == '\n');
    }
    sator_text_clear(text);
    return sator_text_take(&fitted);
}

void report_section(struct sator_text *text, const char *title, struct look look)
{
    sator_text_add(
            text, "\n%s%s%s\n", look.color ? "\033[1m" : "", title, look.color ? "\033[0m" : "");
}

void report_line(struct sator_text *text, const char *name, const char *format, ...)
{
    va_list arguments;

    sator_text_add(text, "  %-13s", name);
    va_start(arguments, format);
    sator_text_add_v(text, format, arguments);
    va_end(arguments);
    sator_text_add(text, "\n");
}
