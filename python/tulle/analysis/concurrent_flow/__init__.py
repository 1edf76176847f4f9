"""Maximum achievable throughput (MAT), always as two certified bounds."""
