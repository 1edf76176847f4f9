"""What runs inside the sandbox of a lab: one module per job."""
