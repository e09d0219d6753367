"""Models and controllers of single figures, tables and studies: leaps, jumps, held gaits, snakes, uneven ground."""
