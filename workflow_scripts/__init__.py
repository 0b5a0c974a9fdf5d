"""The commands of the workflow: one package per stage, and `common` that all of them share."""
