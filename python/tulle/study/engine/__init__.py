"""From a study file to finished runs: the file, its plan of runs, the store of results."""
