"""Paper S4: a highly parameterised ensemble (Nagai, Shrivastava, Ta, Byers and Bogaerts, 2020)."""
