/* A random machine of test/oracle as a user would give it: three YAML files, read through the
 * public interface. */
#ifndef SATOR_TEST_MACHINE_H
#define SATOR_TEST_MACHINE_H

#include "oracle/hardware_make.h"
#include "sator/analyze.h"

struct machine_files {
    char directory[256];
};

/* What was read. */
struct machine_inputs {
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;
};

/* Make a new directory below TMPDIR or /tmp; ends the program when that fails. */
void machine_open(struct machine_files *files);
void machine_close(const struct machine_files *files);

/* Write and read the files; the dataflow's cuts are those of "hardware", or "cuts" of all memories.
 * "*what" names the file that was refused. Free the inputs also when one was refused. */
enum sator_status machine_read(struct sator_ctx *ctx, const struct machine_files *files,
        const struct hardware *hardware, const int *cuts, const char **what,
        struct machine_inputs *inputs);
/* Write "text" as a dataflow file, and read it. */
enum sator_status machine_read_dataflow(struct sator_ctx *ctx, const struct machine_files *files,
        const char *text, struct sator_dataflow **dataflow);
void machine_forget(struct machine_inputs *inputs);

/* Messages so far, forgotten (GIVE: free); never NULL. */
char *machine_messages(struct sator_ctx *ctx);

#endif
