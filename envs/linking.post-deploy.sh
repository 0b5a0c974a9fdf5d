#!/bin/sh
# Adds what conda-forge does not have; pin files cover conda packages only. The hashes (of x86_64 and aarch64) make the
# version exact.
set -eu
requirements=$(mktemp)
trap 'rm -f "$requirements"' EXIT
cat > "$requirements" << 'END'
ahocorasick_rs==1.0.3 \
    --hash=sha256:3bb732943ee5b8d56fb1a46cde6a0a1ad0fb7bb09d9897d88df89007d1770779 \
    --hash=sha256:ab2ef82253f4c784ca3c06d401fec95e4635b1b6d38e502435a92f87e7f0bd5c
END
"$CONDA_PREFIX/bin/python" -m pip install --quiet --no-deps --require-hashes --requirement "$requirements"
