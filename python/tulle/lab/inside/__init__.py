"""The jobs that can run inside the sandbox of a lab. Each job has its own module."""
