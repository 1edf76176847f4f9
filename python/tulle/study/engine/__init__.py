"""Turn a study file into finished runs: read the file, plan its runs, and store results."""
