"""Labs: fabrics of network namespaces on this machine, built from bundles as switches and hosts would load them."""
