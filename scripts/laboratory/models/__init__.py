"""Models and controllers of single figures, tables, studies and tests: leaps, held gaits, snakes, a ball on a table."""
