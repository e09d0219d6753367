"""A robot of the user's own: its rollouts as labelled records, their numbers and figure, and the contact solver."""
