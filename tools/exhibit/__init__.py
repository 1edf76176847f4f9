"""Show how the results of tulle's studies agree with the tables and figures of papers, which are called exhibits.

tools/exhibits.toml lists the exhibits, each with the studies that reproduce it. The tables and plots appear in
docs/results/reproduction.md and on the documentation pages of the papers.
"""
