"""Looking at a run: windows, videos, pages and plots."""
