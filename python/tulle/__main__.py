"""``python -m tulle`` is ``tulle``."""

from tulle.cli import main

main()
