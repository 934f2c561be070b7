"""The frame that every experiment shares: what it is, its evidence, its verdicts, its drawing."""
