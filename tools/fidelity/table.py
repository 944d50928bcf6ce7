"""Tables of measurements: CSV files by column names, and what is printed of them beside the model's figures."""

import csv
import dataclasses
import statistics


class Refused(Exception):
    """What is wrong with a table, with the file and line."""


class Record:
    """A line of a table. Each read names the column; what is absent or no number is refused with its place."""

    def __init__(self, path, line, fields):
        self.path, self.line, self.fields = path, line, fields

    def refuse(self, why):
        raise Refused(f"{self.path}:{self.line}: {why}")

    def text(self, column, default=None):
        value = self.fields.get(column)
        if value is None or value.strip() == "":
            if default is None:
                self.refuse(f"column '{column}' is empty")
            return default
        return value.strip()

    def number(self, column, least=0.0):
        value = self.text(column)
        try:
            number = float(value)
        except ValueError:
            self.refuse(f"column '{column}' is no number: '{value}'")
        if not least <= number < 1e18:
            self.refuse(f"column '{column}' is {value}, expected {least:g} or more")
        return number

    def integer(self, column, least=1):
        number = self.number(column, least)
        if number != int(number):
            self.refuse(f"column '{column}' is {number:g}, expected an integer")
        return int(number)


def read(path, columns):
    """The records of a CSV file that has at least these columns."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            names = reader.fieldnames or []
            missing = [column for column in columns if column not in names]
            if missing:
                raise Refused(f"{path}:1: no column {', '.join(repr(name) for name in missing)}")
            records = [Record(path, reader.line_num, fields) for fields in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Refused(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if not records:
        raise Refused(f"{path}: no rows")
    return records


@dataclasses.dataclass
class Row:
    """One figure of the model beside one that was measured."""

    name: str
    model: float
    measured: float
    note: str = ""
    counts: bool = True  # whether the table's summary has it

    @property
    def error(self):
        """Percent of the measurement."""
        return 100 * (self.model - self.measured) / self.measured

    def as_json(self):
        return {"row": self.name, "model": self.model, "measured": self.measured, "error_pct": round(self.error, 2),
                "counts": self.counts, "note": self.note}


def wrong(rows):
    """How many rows that count differ by more than the rounding of a division."""
    return sum(1 for row in rows if row.counts and abs(row.error) > 1e-9)


def mean(rows):
    """The mean of the absolute errors in percent, to two decimals; null where no row counts."""
    errors = [abs(row.error) for row in rows if row.counts]
    return round(statistics.fmean(errors), 2) if errors else None


def median(rows):
    """The median of the absolute errors in percent, to two decimals; null where no row counts."""
    errors = [abs(row.error) for row in rows if row.counts]
    return round(statistics.median(errors), 2) if errors else None


def figure(value):
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def show(title, unit, rows):
    """The table as text."""
    cells = [("row", f"model {unit}", f"measured {unit}", "error %", "")]
    cells += [(row.name, figure(row.model), figure(row.measured), f"{row.error:+.2f}", row.note) for row in rows]
    widths = [max(len(line[at]) for line in cells) for at in range(4)]
    print(title)
    for name, *numbers, note in cells:
        right = "  ".join(text.rjust(width) for text, width in zip(numbers, widths[1:]))
        print(f"  {name.ljust(widths[0])}  {right}  {note}".rstrip())
    worst = max((row for row in rows if row.counts), key=lambda row: abs(row.error), default=None)
    if worst:
        counted = sum(1 for row in rows if row.counts)
        print(f"  {counted} of {len(rows)} rows count: mean |error| {mean(rows):.2f} %, median {median(rows):.2f} %, "
              f"worst {worst.error:+.2f} % ({worst.name}); {wrong(rows)} differ")
