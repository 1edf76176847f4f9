"""The pages of docs/reproduction.md: exhibits of papers with their claims, figures and plots, from what is kept."""
