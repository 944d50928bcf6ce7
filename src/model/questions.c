#include "model/questions.h"

enum {
    VOLUMES = 6 /* before those of links and buses */
};

int question_volumes_length(int n_links, int n_buses)
{
    return VOLUMES + n_links + n_buses;
}

void question_take_volumes(const struct sator_transport *transport, const sator_int *numbers,
        struct sator_volumes *volumes)
{
    volumes->access = numbers[0];
    volumes->total = numbers[1];
    volumes->temporal = numbers[2];
    volumes->spatial = numbers[3];
    volumes->unique = numbers[4];
    volumes->footprint = numbers[5];
    for (int i = 0; i < transport->n_links; i++)
        volumes->by_link[i] = numbers[VOLUMES + i];
    for (int i = 0; i < transport->n_buses; i++)
        volumes->by_bus[i] = numbers[VOLUMES + transport->n_links + i];
}

static enum sator_status put_volumes(
        const struct question *question, struct sator_counter *counter, sator_int *numbers)
{
    const struct sator_transport *transport = question->transport;
    struct sator_volumes volumes = {
            .by_link = numbers + VOLUMES, .by_bus = numbers + VOLUMES + transport->n_links};
    enum sator_status st = sator_count_volumes(counter, question->access, transport, &volumes);

    if (st == SATOR_OK) {
        const sator_int row[VOLUMES] = {volumes.access, volumes.total, volumes.temporal,
                volumes.spatial, volumes.unique, volumes.footprint};
        for (int i = 0; i < VOLUMES; i++)
            numbers[i] = row[i];
    }
    return st;
}

void question_take_stamps(const sator_int *numbers, struct sator_stamp_counts *counts)
{
    *counts = (struct sator_stamp_counts){.instances = numbers[0],
            .stamps = numbers[1],
            .time_stamps = numbers[2],
            .active_pes = numbers[3],
            .max_active_pes = numbers[4]};
}

static enum sator_status put_stamps(struct sator_counter *counter, sator_int *numbers)
{
    struct sator_stamp_counts counts;
    enum sator_status st = sator_count_stamps(counter, &counts);

    if (st == SATOR_OK) {
        const sator_int row[QUESTION_STAMP_COUNTS] = {counts.instances, counts.stamps,
                counts.time_stamps, counts.active_pes, counts.max_active_pes};
        for (int i = 0; i < QUESTION_STAMP_COUNTS; i++)
            numbers[i] = row[i];
    }
    return st;
}

enum sator_status question_put(
        const struct question *question, struct sator_counter *counter, sator_int *numbers)
{
    bool found = false;
    enum sator_status st;

    switch (question->kind) {
    case QUESTION_OUTSIDE:
        st = sator_count_outside(counter, &found, question->instance);
        numbers[0] = found;
        return st;
    case QUESTION_STAMPS:
        return put_stamps(counter, numbers);
    case QUESTION_MOST:
        return sator_count_max_per_stamp(counter, numbers, question->instance);
    case QUESTION_TILE:
        return sator_count_tile(counter, question->access, numbers);
    default: /* QUESTION_VOLUMES */
        return put_volumes(question, counter, numbers);
    }
}
