"""The model beside published measurements: see doc/fidelity.md; called by tools/fidelity.sh."""

import argparse
import concurrent.futures
import importlib
import json
import os
import sys

import sator
import table

TABLES = {name: os.path.join(sator.DATA, name + ".csv") for name in ("eyeriss", "scalesim", "nvdla", "tileflow", "gemmini")}


def compare(name, path):
    """Prints one table. Returns its rows, their summary, and what was wrong with the lines that have no row."""
    kind = importlib.import_module(name)
    errors = []

    def row(record):
        try:
            return kind.row(record)
        except (table.Refused, sator.Failed) as error:
            errors.append((record.line, str(error) if isinstance(error, table.Refused) else f"{path}:{record.line}: {error}"))
            return None

    records = table.read(path, kind.COLUMNS)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:  # each row waits for a process
        rows = [made for made in pool.map(row, records) if made]
    summary = {key: figure(rows) for key, figure in kind.SUMMARY.items()}
    if rows:
        table.show(kind.TITLE, kind.UNIT, rows)
    for key, value in summary.items():
        print(f"  {key}: {value}\n" if rows else "", end="")
    return rows, summary, [message for _, message in sorted(errors)]


def main():
    parser = argparse.ArgumentParser(prog="tools/fidelity.sh", description="The model beside published measurements, row by row.")
    parser.add_argument("table", nargs="?", choices=TABLES, help="one table; default: all, and their summaries to build/fidelity.json")
    parser.add_argument("file", nargs="?", metavar="FILE.csv", help="other rows of the same columns")
    parser.add_argument("--json", metavar="FILE", help="summaries and rows as JSON")
    given = parser.parse_args()
    names = [given.table] if given.table else list(TABLES)
    result, every, refused = {}, {}, []
    for name in names:
        try:
            rows, summary, errors = compare(name, given.file or TABLES[name])
        except table.Refused as error:
            rows, summary, errors = [], {}, [str(error)]
        result.update(summary)
        every[name] = [row.as_json() for row in rows]
        refused += errors
    target = given.json or (None if given.table else os.path.join(sator.ROOT, "build", "fidelity.json"))
    if target:
        try:
            with open(target, "w", encoding="utf-8") as file:
                json.dump({**result, "rows": every}, file, indent=1)
                file.write("\n")
        except OSError as error:
            refused.append(f"{target} cannot be written: {error.strerror}")
    for message in refused:
        print(f"error: {message}", file=sys.stderr)
    return 1 if refused else 0


try:
    sys.exit(main())
except KeyboardInterrupt:
    sys.exit(130)
