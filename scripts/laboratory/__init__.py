"""What makes the documentation: pages, figures, benchmarks, studies."""
