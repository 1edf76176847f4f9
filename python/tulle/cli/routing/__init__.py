"""Commands that compute routings and show their paths."""
