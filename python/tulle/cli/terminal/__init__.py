"""Write tables, numbers and progress to a terminal."""
