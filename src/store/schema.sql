-- The results of an exploration: one file, one exploration (doc/explore.md says how to read it).
--
-- Counts are exact: an integer where 63 bits are enough, else its decimal digits as text. Derived figures
-- are 8-byte floating point numbers, computed once from the counts; NULL: the architecture does not say.
-- Rows are only ever added. What a batch found and the note that it is done are one transaction.

-- What the exploration is: program; model, timing and model_version, which say what counted the results; the inputs' text and its
-- SHA-256; the options.
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- The workloads, in the network's order. Layers of a family share their loops, and so their dataflow spaces.
CREATE TABLE layer (
    layer INTEGER PRIMARY KEY,
    family INTEGER NOT NULL,
    name TEXT NOT NULL,
    repeat INTEGER NOT NULL,
    same_as INTEGER NOT NULL -- the layer that has the results: itself, or an equal one before it
);

-- The architectures: one a combination of the varied settings.
CREATE TABLE hardware (
    hardware INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    settings TEXT NOT NULL, -- "levels.PE.shape=[8,8]", one a line; empty when nothing varies
    area_um2 REAL
);

-- The dataflow spaces: points are numbered from 0 to size - 1. Those explored are [first, first + points), in batches of
-- batch_points (the last one may be shorter) numbered from first_batch on.
CREATE TABLE space (
    family INTEGER NOT NULL,
    hardware INTEGER NOT NULL,
    size INTEGER NOT NULL,
    first INTEGER NOT NULL,
    points INTEGER NOT NULL,
    batch_points INTEGER NOT NULL,
    first_batch INTEGER NOT NULL,
    PRIMARY KEY (family, hardware)
) WITHOUT ROWID;

-- What is done: points [first, first + points) of a batch, for every layer of the family. A batch that was
-- interrupted has several rows, one after the other.
CREATE TABLE batch (
    batch INTEGER NOT NULL,
    first INTEGER NOT NULL,
    points INTEGER NOT NULL,
    family INTEGER NOT NULL,
    hardware INTEGER NOT NULL,
    results INTEGER NOT NULL, -- rows of table result that came with it
    PRIMARY KEY (batch, first)
) WITHOUT ROWID;

-- Points among these that are no results, by the rule that says so.
CREATE TABLE skipped (
    batch INTEGER NOT NULL,
    first INTEGER NOT NULL,
    rule TEXT NOT NULL,
    points INTEGER NOT NULL,
    PRIMARY KEY (batch, first, rule)
) WITHOUT ROWID;

-- One evaluated point. Units are in doc/model.md; names are those of `sator analyze --json`, dots as underscores. To these an
-- exploration adds columns of its own, with dots: the volumes of its tensors in words, "tensors.A.read.unique_volume", NULL in a
-- layer without that tensor; and the figures that somebody named, "energy_pj.DRAM". cuts is JSON, outermost memory first:
-- [{"level": "L2", "time": 2, "space": 0, "derived": true}, ...].
CREATE TABLE result (
    layer INTEGER NOT NULL,
    hardware INTEGER NOT NULL,
    point INTEGER NOT NULL,
    space TEXT NOT NULL,
    time TEXT NOT NULL,
    bound_by TEXT NOT NULL,
    cuts TEXT NOT NULL,
    instances NOT NULL,
    stamps NOT NULL,
    time_stamps NOT NULL,
    pes NOT NULL,
    active_pes NOT NULL,
    max_active_pes NOT NULL,
    unique_volume NOT NULL,
    utilization_average REAL,
    utilization_max REAL,
    macs_per_cycle REAL,
    latency_cycles_compute REAL,
    latency_cycles_read REAL,
    latency_cycles_write REAL,
    latency_cycles_total REAL,
    bandwidth_bits_per_cycle_interconnect REAL,
    bandwidth_bits_per_cycle_scratchpad REAL,
    energy_pj_total REAL,
    edp REAL,
    area_um2_total REAL,
    power_mw REAL,
    PRIMARY KEY (layer, hardware, point)
) WITHOUT ROWID;

-- Where points are mappings: the loop nest of a result, as a file that `sator analyze --dataflow` takes.
CREATE TABLE mapping (
    layer INTEGER NOT NULL,
    hardware INTEGER NOT NULL,
    point INTEGER NOT NULL,
    loops TEXT NOT NULL,
    PRIMARY KEY (layer, hardware, point)
) WITHOUT ROWID;
