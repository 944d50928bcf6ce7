#include "explore/record.h"

#include "base/checked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct explore_field explore_fields[EXPLORE_N_FIELDS] = {
#define FIELD(key, alias, kind, better, value) {key, alias, EXPLORE_##kind, EXPLORE_##better},
#include "explore/fields.def"
#undef FIELD
};

const char *const explore_tensor_fields[EXPLORE_N_TENSOR_FIELDS] = {
#define TENSOR_FIELD(key, value) key,
#include "explore/tensor_fields.def"
#undef TENSOR_FIELD
};

/* Saturates: the sum of volumes that each fit 128 bits passes them for no workload that could be
 * counted. */
static sator_int unique_volume(const struct sator_result *r)
{
    sator_int sum = 0;

    for (int i = 0; i < r->n_tensors; i++) {
        if (!sator_add(sum, r->tensors[i].unique_volume, &sum))
            return ((sator_int)1 << 126) - 1 + ((sator_int)1 << 126);
    }
    return sum;
}

/* pJ a cycle x 10^6 cycles a second = 10^-6 W */
static double power_mw(double energy_pj, double cycles, double clock_mhz)
{
    return energy_pj / cycles * clock_mhz * 1e-3;
}

static struct explore_value count_value(sator_int count)
{
    return (struct explore_value){.kind = EXPLORE_COUNT, .count = count, .number = NAN};
}

static struct explore_value number_value(double number)
{
    return (struct explore_value){.kind = EXPLORE_NUMBER, .number = number};
}

void explore_record_set(struct explore_record *record, const struct sator_result *r, double area)
{
    int field = 0;
#define VALUE_COUNT(value) count_value(value)
#define VALUE_NUMBER(value) number_value(value)
#define FIELD(key, alias, kind, better, value) record->fields[field++] = VALUE_##kind(value);
#include "explore/fields.def"
#undef FIELD
    record->n_tensors = r->n_tensors;
    for (int i = 0; i < r->n_tensors; i++) {
        const struct sator_tensor_result *t = &r->tensors[i];
        int volume = 0;
        record->tensors[i].role = t->role;
#define TENSOR_FIELD(key, value) record->tensors[i].volumes[volume++] = value;
#include "explore/tensor_fields.def"
#undef TENSOR_FIELD
    }
}

const char *explore_tensor_column(
        struct sator_arena *arena, const char *tensor, enum sator_role role, int field)
{
    return sator_arena_printf(arena, "tensors.%s.%s.%s", tensor,
            role == SATOR_READ ? "read" : "write", explore_tensor_fields[field]);
}

double explore_value_number(const struct explore_value *value)
{
    return value->kind == EXPLORE_COUNT ? (double)value->count : value->number;
}

int explore_field_index(const char *key)
{
    for (int i = 0; i < EXPLORE_N_FIELDS; i++) {
        if (strcmp(explore_fields[i].key, key) == 0 ||
                (explore_fields[i].alias != NULL && strcmp(explore_fields[i].alias, key) == 0))
            return i;
    }
    return -1;
}

/* ---- fronts ---- */

/* 1: "a" is nowhere worse than "b" and somewhere better; -1: the other way round; 0: neither. */
static int compare_costs(const double *a, const double *b, int n)
{
    bool better = false, worse = false;

    for (int i = 0; i < n; i++) {
        better = better || a[i] < b[i];
        worse = worse || a[i] > b[i];
    }
    return better == worse ? 0 : better ? 1 : -1;
}

bool explore_front_add(struct explore_front *front, const double *costs, uint64_t label)
{
    int n = front->n_costs, kept = 0;

    for (int i = 0; i < front->n_members; i++) {
        if (compare_costs(&front->costs[i * n], costs, n) > 0)
            return false; /* then it is worse than no member that was dropped here: none was */
    }
    for (int i = 0; i < front->n_members; i++) {
        if (compare_costs(costs, &front->costs[i * n], n) > 0)
            continue;
        memmove(&front->costs[kept * n], &front->costs[i * n], sizeof *costs * (size_t)n);
        front->labels[kept++] = front->labels[i];
    }
    front->n_members = kept;
    if (front->n_members == front->capacity) {
        front->capacity = 2 * front->capacity + 16;
        front->costs = sator_realloc(
                front->costs, sizeof *front->costs * (size_t)front->capacity * (size_t)n);
        front->labels =
                sator_realloc(front->labels, sizeof *front->labels * (size_t)front->capacity);
    }
    memcpy(&front->costs[front->n_members * n], costs, sizeof *costs * (size_t)n);
    front->labels[front->n_members++] = label;
    return true;
}

void explore_front_clear(struct explore_front *front)
{
    free(front->costs);
    free(front->labels);
    *front = (struct explore_front){0};
}
