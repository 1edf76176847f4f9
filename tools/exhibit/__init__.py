"""Write the tables and plots of docs/reproduction.md from stored results: exhibits of papers with claims and values."""
