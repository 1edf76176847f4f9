"""Report a finished study: statistics, verdicts, tables, plots, and the baseline kept beside the study file."""
