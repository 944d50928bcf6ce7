#include "simulate/record.h"
#include "base/json.h"
#include "base/room.h"

#include <string.h>

enum {
    FLUSH = SATOR_ROOM(1 << 16, 16), /* bytes that are written at a time */
    MOST_TRACKS = 1024, /* of single PEs */
    PORT_TRACKS = 1, /* process numbers of the trace */
    PE_TRACKS = 2
};

static void flush(struct record *record, struct sator_text *text,
        void (*write)(const char *text, size_t length, void *user), size_t from)
{
    if (text->length == 0 || text->length < from)
        return;
    write(text->data, text->length, record->question->options->user);
    text->length = 0;
}

static bool is_inside(const struct record *record, int64_t begin, int64_t end)
{
    return begin <= record->last && (end > record->first || begin == record->first);
}

/* ---- the trace ---- */

static void begin_event(struct record *record)
{
    sator_text_put(&record->trace, record->any_trace ? ",\n" : "[\n");
    record->any_trace = true;
}

static void name_track(
        struct record *record, int process, int64_t track, const char *what, const char *name)
{
    struct sator_json out = {.text = &record->trace};

    begin_event(record);
    sator_json_open(&out, NULL, '{');
    sator_json_text(&out, "name", what);
    sator_json_text(&out, "ph", "M");
    sator_json_small(&out, "pid", process);
    sator_json_small(&out, "tid", track);
    sator_json_open(&out, "args", '{');
    sator_json_text(&out, "name", name);
    sator_json_close(&out, '}');
    sator_json_close(&out, '}');
}

static void add_event(struct record *record, int process, int64_t track, const char *name,
        int64_t begin, int64_t cycles)
{
    struct sator_json out = {.text = &record->trace};

    begin_event(record);
    sator_json_open(&out, NULL, '{');
    sator_json_text(&out, "name", name);
    sator_json_text(&out, "ph", "X");
    sator_json_small(&out, "pid", process);
    sator_json_small(&out, "tid", track);
    sator_json_small(&out, "ts", begin);
    sator_json_small(&out, "dur", cycles);
    sator_json_close(&out, '}');
    flush(record, &record->trace, record->question->options->write_trace, FLUSH);
}

/* A track of every port at every level, for what goes on at two levels may overlap; the last is
 * that of the stalls. */
static void note_phase(void *user, int level, int port, enum phase phase, int64_t begin,
        int64_t cycles, bool stalls)
{
    static const char *const names[N_PHASES] = {[PHASE_EXPOSED_LOADS] = "exposed loads",
            [PHASE_SERIAL_LOADS] = "serial loads",
            [PHASE_DURING] = "beside the run",
            [PHASE_SERIAL_STORES] = "serial stores",
            [PHASE_EXPOSED_STORES] = "exposed stores"};
    struct record *record = user;
    const struct phases *phases = record->phases;

    if (cycles == 0 || !is_inside(record, begin, begin + cycles))
        return;
    if (stalls)
        add_event(record, PORT_TRACKS, 0, phases->ports[port].name, begin, cycles);
    else
        add_event(record, PORT_TRACKS, 1 + (int64_t)port * phases->n_levels + level, names[phase],
                begin, cycles);
}

static void name_tracks(struct record *record)
{
    const struct phases *phases = record->phases;
    const struct machine *machine = record->machine;
    struct sator_text name = {0};

    name_track(record, PORT_TRACKS, 0, "process_name", "ports");
    name_track(record, PORT_TRACKS, 0, "thread_name", "waiting");
    for (int p = 0; p < phases->n_ports; p++)
        for (int l = 0; l < phases->n_levels; l++) {
            name.length = 0;
            sator_text_add(&name, "%s, tiles of %d time dimensions", phases->ports[p].name,
                    phases->levels[l].n_time);
            name_track(record, PORT_TRACKS, 1 + (int64_t)p * phases->n_levels + l, "thread_name",
                    name.data);
        }
    name_track(record, PE_TRACKS, 0, "process_name",
            record->pes_in_track == 1 ? "PEs" : "rows of PEs");
    for (int64_t t = 0; t < machine->n_pes / record->pes_in_track; t++) {
        int64_t rest = t;
        int n = record->pes_in_track == 1 ? machine->n_space : machine->n_space - 1, at[64];
        for (int d = n - 1; d >= 0; d--) {
            at[d] = (int)(rest % machine->shape[d]);
            rest /= machine->shape[d];
        }
        name.length = 0;
        sator_text_put(&name, "PE[");
        for (int d = 0; d < n; d++)
            sator_text_add(&name, "%s%d", d == 0 ? "" : ",", at[d]);
        sator_text_put(&name, n < machine->n_space ? ",*]" : "]");
        name_track(record, PE_TRACKS, t, "thread_name", name.data);
    }
    sator_text_clear(&name);
}

static void trace_stamp(struct record *record, const char *name, int64_t began, int64_t n_active,
        const int64_t *active)
{
    int64_t cycles = record->phases->clock - began, last = -1;

    for (int64_t i = 0; i < n_active; i++) {
        int64_t track = active[i] / record->pes_in_track;
        if (track != last)
            add_event(record, PE_TRACKS, track, name, began, cycles);
        last = track;
    }
}

/* ---- the record ---- */

static void add_element(struct sator_json *out, const struct numbering *numbering, uint64_t element)
{
    sator_json_open(out, NULL, '[');
    for (int d = 0; d < numbering->n_dims; d++) {
        uint64_t mask = (UINT64_C(1) << numbering->width[d]) - 1;
        sator_json_small(
                out, NULL, numbering->least[d] + (int64_t)(element >> numbering->shift[d] & mask));
    }
    sator_json_close(out, ']');
}

void record_move(struct record *record, const struct holder *holder, enum move move,
        int64_t instance, int64_t other, uint64_t element, const char *wire)
{
    static const char *const names[] = {
            [MOVE_FILL] = "fill", [MOVE_BUS] = "bus", [MOVE_LINK] = "link", [MOVE_STORE] = "store"};
    bool crosses = move == MOVE_FILL || move == MOVE_STORE;
    struct sator_json out = {.text = &record->moves, .follows = record->moves.length > 0};

    sator_json_open(&out, NULL, '[');
    sator_json_small(&out, NULL, holder->access);
    sator_json_text(&out, NULL, names[move]);
    sator_json_small(&out, NULL, holder->level);
    sator_json_small(&out, NULL, instance);
    sator_json_small(&out, NULL, crosses ? holder->parent->level : holder->level);
    sator_json_small(&out, NULL, other);
    add_element(&out, record->machine->ways[holder->access].numbering, element);
    if (wire != NULL)
        sator_json_text(&out, NULL, wire);
    sator_json_close(&out, ']');
}

/* The moves since the last line, and the end of this one. */
static void end_line(struct record *record, struct sator_json *out)
{
    sator_json_open(out, "moves", '[');
    if (record->moves.length > 0)
        sator_text_add_bytes(out->text, record->moves.data, record->moves.length);
    sator_json_close(out, ']');
    sator_json_close(out, '}');
    sator_text_put(out->text, "\n");
}

static void list_stamp(struct record *record, const int64_t *stamp, int64_t began, int64_t n_active,
        const int64_t *active)
{
    struct sator_json out = {.text = &record->events};

    sator_json_open(&out, NULL, '{');
    sator_json_small(&out, "left", record->left);
    sator_json_small(&out, "began", began);
    sator_json_small(&out, "ended", record->phases->clock);
    sator_json_small_array(&out, "stamp", record->machine->n_time, stamp);
    sator_json_small_array(&out, "pes", n_active, active);
    end_line(record, &out);
    flush(record, &record->events, record->question->options->write_events, FLUSH);
}

static void list_header(struct record *record)
{
    const struct simulate_question *q = record->question;
    struct sator_json out = {.text = &record->events};

    sator_json_open(&out, NULL, '{');
    sator_json_text(&out, "format", "sator-events");
    sator_json_small(&out, "version", 1);
    sator_json_text(&out, "workload", q->workload->name);
    sator_json_text(&out, "arch", q->arch->name);
    sator_json_open(&out, "shape", '[');
    for (int d = 0; d < record->machine->n_space; d++)
        sator_json_small(&out, NULL, record->machine->shape[d]);
    sator_json_close(&out, ']');
    sator_json_open(&out, "levels", '[');
    for (int l = 0; l < q->arch->n_levels; l++)
        sator_json_text(&out, NULL, q->arch->levels[l].name);
    sator_json_close(&out, ']');
    sator_json_open(&out, "accesses", '[');
    for (int a = 0; a < q->workload->n_accesses; a++) {
        sator_json_open(&out, NULL, '{');
        sator_json_text(
                &out, "role", q->workload->accesses[a].role == SATOR_READ ? "read" : "write");
        sator_json_text(&out, "tensor", q->workload->accesses[a].tensor);
        sator_json_close(&out, '}');
    }
    sator_json_close(&out, ']');
    sator_json_close(&out, '}');
    sator_text_put(out.text, "\n");
}

/* ---- both ---- */

void record_begin(struct record *record, const struct simulate_question *question,
        const struct machine *machine, struct phases *phases)
{
    const struct sator_simulate_options *options = question->options;

    *record = (struct record){.question = question,
            .machine = machine,
            .phases = phases,
            .traces = options->write_trace != NULL,
            .lists = options->write_events != NULL,
            .first = options->first_cycle,
            .last = options->last_cycle > 0 ? options->last_cycle : INT64_MAX,
            .pes_in_track = 1};
    if (machine->n_pes > MOST_TRACKS && machine->n_space > 0)
        record->pes_in_track = machine->shape[machine->n_space - 1];
    if (record->traces) {
        phases->note = note_phase;
        phases->note_user = record;
        name_tracks(record);
    }
    if (record->lists)
        list_header(record);
}

void record_stamp(struct record *record, const int64_t *stamp, int64_t began, int64_t n_active,
        const int64_t *active)
{
    int64_t now = record->phases->clock;

    if (record->traces && is_inside(record, began, now)) {
        struct sator_text name = {0};
        sator_text_put(&name, "T[");
        for (int k = 0; k < record->machine->n_time; k++)
            sator_text_add(&name, "%s%lld", k == 0 ? "" : ",", (long long)stamp[k]);
        sator_text_put(&name, "]");
        trace_stamp(record, name.data, began, n_active, active);
        sator_text_clear(&name);
    }
    if (record->lists && is_inside(record, record->left, now))
        list_stamp(record, stamp, began, n_active, active);
    record->moves.length = 0;
    record->left = now;
}

void record_end(struct record *record)
{
    if (record->traces) {
        sator_text_put(&record->trace, "\n]\n");
        flush(record, &record->trace, record->question->options->write_trace, 0);
    }
    if (record->lists) { /* what leaves after the last stamp */
        if (is_inside(record, record->left, record->phases->clock)) {
            struct sator_json out = {.text = &record->events};
            sator_json_open(&out, NULL, '{');
            sator_json_small(&out, "left", record->left);
            sator_json_small(&out, "ended", record->phases->clock);
            end_line(record, &out);
        }
        flush(record, &record->events, record->question->options->write_events, 0);
    }
    sator_text_clear(&record->trace);
    sator_text_clear(&record->events);
    sator_text_clear(&record->moves);
}
