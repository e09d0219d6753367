"""The contact doctor: what is wrong with the contacts of anybody's MuJoCo model, and the setting that mends it."""
