"""Jobs that run inside the sandbox of a lab, one module per job."""
