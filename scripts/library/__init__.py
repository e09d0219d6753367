"""What users import: machines and their runs, records, comparisons, learning, certificates, searches."""
