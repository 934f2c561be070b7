"""``python -m ginrummy`` is the command ``ginrummy``."""

from ginrummy.cli import main

main()
