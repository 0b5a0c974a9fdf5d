"""What a run needs and will do, said before it starts: `make doctor`, `make plan`. Only these know Snakemake."""
