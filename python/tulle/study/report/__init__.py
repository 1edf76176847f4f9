"""What a finished study says: statistics, verdicts, tables, plots, the baseline kept beside the study file."""
