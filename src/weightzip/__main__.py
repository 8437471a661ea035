"""`python -m weightzip`."""

from weightzip.cli import main

if __name__ == "__main__":
    main()
