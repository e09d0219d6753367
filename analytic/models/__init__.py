"""One machine per file: its parameters, and the equations of motion the hybrid engine integrates."""
