"""Paper S1: opponent hand estimation (Francis, Just and Neller, 2021)."""
