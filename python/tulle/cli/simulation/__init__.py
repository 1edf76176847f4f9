"""Commands that simulate packets or flits."""
