"""Write the generated pages of the documentation: components, commands, the Python API, and files of the repository."""
