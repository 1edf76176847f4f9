"""Versions of a bundle: each write adds a numbered folder, and one rename of a symbolic link puts it in use.

bundle/versions/0001, bundle/versions/0002    complete bundles; tulle never changes or removes them on its own
bundle/current -> versions/0002               the version in use; replaced by rename(2)
bundle/lfts -> current/lfts                   a link per file and folder, so that file paths stay the same
"""
