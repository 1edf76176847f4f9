"""Report a finished study: statistics, verdicts, tables, plots, and recorded results beside the study file."""
