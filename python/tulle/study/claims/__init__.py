"""Grade the claims of papers with the claims files beside the studies and the kept results of the studies."""
