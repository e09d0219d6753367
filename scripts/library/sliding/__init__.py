"""Walks whose feet slip: recorded in MuJoCo or in a laboratory, and as the contact solver predicts them."""
