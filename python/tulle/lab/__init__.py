"""Labs: fabrics of network namespaces on this machine, built from the files that switches and hosts load."""
