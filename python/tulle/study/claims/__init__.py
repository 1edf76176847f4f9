"""Grade the claims of papers: from claims files beside the studies, and the kept results of the studies."""
