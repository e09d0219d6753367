"""Any tree of rigid bodies on a plane in the exact engine."""
