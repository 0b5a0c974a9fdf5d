#!/bin/sh
# Adds biosenter and what it requires as far as conda-forge does not have it; pin files cover conda packages only. The
# hashes make the versions exact.
set -eu
requirements=$(mktemp)
trap 'rm -f "$requirements"' EXIT
cat > "$requirements" << 'END'
bioc==2.1 --hash=sha256:f1730d26821330f9f625058841612d6cfb616efb906fc682297fe04dd5d9398a
bioconverters==4.1.1 --hash=sha256:8549c55c1ac32787cc32bafa38f043c10a3be95dd2f6272480b1e343df88ec23
biosenter==0.2.0 --hash=sha256:7b5d44bc14f7bdcb6897c06d8facabd893d553486b8345704272df744251f444
spans_and_trees==0.4.0 --hash=sha256:6b4b3eafd8114ee261a520d2335c2a0647e3bb9d9fed6cb83425e515cc629769
END
"$CONDA_PREFIX/bin/python" -m pip install --quiet --no-deps --require-hashes --requirement "$requirements"
