"""The contact suite: cases with exact answers, engines, and what runs the one in the other."""
