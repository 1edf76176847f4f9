"""The pages of docs/reproduction.md: exhibits of papers with claims, our values and plots, from kept results."""
