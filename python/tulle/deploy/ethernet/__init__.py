"""Ethernet and IP: layers as address ranges, what switches and hosts are loaded with, and what is read back of it."""
