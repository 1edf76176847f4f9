"""Run the command line of tulle for ``python -m tulle``."""

from tulle.cli import main

main()
