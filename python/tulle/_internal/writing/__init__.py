"""Write files and folders whole or not at all, and check before the work that they can be written."""
