#!/bin/sh
# Adds scispaCy and what it requires as far as conda-forge does not have it; pin files cover conda
# packages only. The hashes make the versions exact.
set -eu
requirements=$(mktemp)
trap 'rm -f "$requirements"' EXIT
cat > "$requirements" << 'END'
ahocorasick_rs==1.0.3 \
    --hash=sha256:3bb732943ee5b8d56fb1a46cde6a0a1ad0fb7bb09d9897d88df89007d1770779 \
    --hash=sha256:ab2ef82253f4c784ca3c06d401fec95e4635b1b6d38e502435a92f87e7f0bd5c
conllu==6.0.0 --hash=sha256:c47206a0912f768bfae429d3d3c2c7f5ed068babd2502663e865cfb21532cbcc
nmslib-metabrainz==2.1.3 --hash=sha256:3322188e2605152e8b79d2a303da593830ac65b6074214406183f806967a6a5d
pysbd==0.3.4 --hash=sha256:cd838939b7b0b185fcf86b0baf6636667dfb6e474743beeff878e9f42e022953
scispacy==0.6.2 --hash=sha256:4a4d38948c95e7233a31bc42751336f4fda0da3a554dd5f29197a2d2eef42452
END
"$CONDA_PREFIX/bin/python" -m pip install --quiet --no-deps --require-hashes --requirement "$requirements"
