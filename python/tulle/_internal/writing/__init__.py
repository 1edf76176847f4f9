"""Write files and folders atomically, and check in advance that they can be written."""
