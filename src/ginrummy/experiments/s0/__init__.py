"""Paper S0: a deterministic neural network approach (Nguyen, Doan and Neller, 2021)."""
