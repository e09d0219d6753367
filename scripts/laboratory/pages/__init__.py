"""Pages of docs/ whose tables come from the code."""
