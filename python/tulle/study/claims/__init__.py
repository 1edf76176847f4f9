"""Grade the claims of papers. The claims are in files beside the studies; the grades follow from recorded results."""
