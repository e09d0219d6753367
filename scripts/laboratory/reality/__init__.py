"""Where the measured tosses and impacts come from, and the friction that they show."""
