"""The commands of `tarsus`, a file each; folders hold what they share."""
