"""Exceptions: one a status of the library, with its messages."""

from __future__ import annotations

import builtins
import warnings
from typing import NamedTuple, Optional, Sequence, Tuple


class Message(NamedTuple):
    """One thing that the library has to say about an input."""

    is_error: bool
    file: Optional[str]
    """The file, the "<Arch name>" of an object, or the argument that it is about; None: nothing in particular."""
    line: int
    """From 1; 0 when the file has no text."""
    column: int
    """From 1, in bytes."""
    length: int
    """Bytes to underline."""
    text: str
    help: Optional[str]
    """More lines: the nearest name, what to do."""


class SatorError(Exception):
    """A call that did not succeed. ``str()`` is what the command line prints: all messages, with line and caret."""

    messages: Tuple[Message, ...] = ()

    def _first(self) -> Optional[Message]:
        return next((m for m in self.messages if m.is_error), None)

    @property
    def file(self) -> Optional[str]:
        """Where the first error is: the file."""
        first = self._first()
        return first.file if first else None

    @property
    def line(self) -> Optional[int]:
        """Where the first error is: the line, from 1."""
        first = self._first()
        return (first.line or None) if first else None

    @property
    def column(self) -> Optional[int]:
        """Where the first error is: the column, from 1, in bytes."""
        first = self._first()
        return (first.column or None) if first else None


class InputError(SatorError, ValueError):
    """An input is wrong; the messages say where and why."""


class UsageError(SatorError, ValueError):
    """The call is wrong: a layer that is not there, an unknown figure, a number out of range."""


class LimitError(SatorError):
    """The work limit or the budget was reached before the answer."""


class InfeasibleError(SatorError):
    """No mapping satisfies the constraints."""


class OverflowError(SatorError, builtins.OverflowError):
    """An exact count does not fit into 128 bits (64 bits in a column of counts)."""


class Interrupted(SatorError):
    """The call was cancelled."""


class DeclinedError(SatorError):
    """The chosen engine does not handle this input."""


class NoMemoryError(SatorError, MemoryError):
    """Memory ran out."""


class SatorWarning(UserWarning):
    """Something in an input that has no effect, or not the one that was probably meant."""


# enum sator_status
_BY_STATUS = {1: InputError, 2: UsageError, 3: LimitError, 4: InfeasibleError, 5: OverflowError, 6: Interrupted,
              7: DeclinedError, 8: NoMemoryError}
_SILENT = {3: "the work limit was reached", 6: "interrupted", 8: "memory ran out"}


def _make_error(status: int, messages: Sequence[Tuple[bool, Optional[str], int, int, int, str, Optional[str]]],
                text: Optional[str]) -> SatorError:
    kind = _BY_STATUS.get(status, SatorError)
    error = kind((text or _SILENT.get(status) or "the call did not succeed").rstrip("\n"))
    error.messages = tuple(Message(*m) for m in messages)
    return error


def _warn(messages: Sequence[Tuple[bool, Optional[str], int, int, int, str, Optional[str]]],
          text: Optional[str]) -> None:
    del messages
    warnings.warn((text or "").rstrip("\n"), SatorWarning, stacklevel=3)
