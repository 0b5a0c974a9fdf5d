#!/bin/sh
# Adds bioc, which conda-forge does not have; pin files cover conda packages only. The hash makes the version exact.
set -eu
requirements=$(mktemp)
trap 'rm -f "$requirements"' EXIT
cat > "$requirements" << 'END'
bioc==2.1 --hash=sha256:f1730d26821330f9f625058841612d6cfb616efb906fc682297fe04dd5d9398a
END
"$CONDA_PREFIX/bin/python" -m pip install --quiet --no-deps --require-hashes --requirement "$requirements"
