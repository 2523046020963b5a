"""The table of programs and limits: what each ends as, with control groups and without. Rows are in the other files."""

from . import rows_disk, rows_ends, rows_memory, rows_output, rows_pids, rows_time
from .row import COLUMNS, Row, check, column_of

ROWS = [row for part in (rows_time, rows_memory, rows_pids, rows_disk, rows_output, rows_ends) for row in part.ROWS]
assert len({row.name for row in ROWS}) == len(ROWS), "names of rows are unique"

__all__ = ["COLUMNS", "ROWS", "Row", "check", "column_of"]
