"""Paper S3: look-ahead discards, a learned opponent table, knocking by regret minimisation."""
