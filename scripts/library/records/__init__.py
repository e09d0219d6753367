"""The labelled record of a run, its layouts and stances, what it holds in numbers, and what a battery gave for it."""
