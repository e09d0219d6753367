"""Contact against reality: measured tosses of a cube and impacts of an ellipse, and how far models are from them."""
