#!/bin/sh
# Adds what conda-forge does not have; pin files cover conda packages only. The hash makes the version exact.
set -eu
requirements=$(mktemp)
trap 'rm -f "$requirements"' EXIT
cat > "$requirements" << 'END'
biosenter==0.2.0 --hash=sha256:7b5d44bc14f7bdcb6897c06d8facabd893d553486b8345704272df744251f444
END
"$CONDA_PREFIX/bin/python" -m pip install --quiet --no-deps --require-hashes --requirement "$requirements"
