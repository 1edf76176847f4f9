"""Ethernet and IP: layers as address ranges, the files that switches and hosts load, and their verification."""
