"""``python -m ginrummy`` is the command ``ginrummy``, and so is the script that an installation makes."""

import sys


def main() -> None:
    """Run the command line. Ctrl-C works from here on, even while libraries are still being imported."""
    try:
        from ginrummy.cli import main as run

        run()
    except KeyboardInterrupt:
        print("ginrummy: stopped", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
