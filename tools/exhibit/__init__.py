"""Write the tables and plots of docs/results/reproduction.md from stored results: claims and values of exhibits."""
