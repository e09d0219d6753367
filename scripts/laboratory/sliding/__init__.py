"""The test of the contact solver against recorded walks: its cases and pictures."""
