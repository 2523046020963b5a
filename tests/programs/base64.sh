# packages: coreutils perl
# size: small
printf 'caisson' | base64; printf 'caisson' | sha256sum | cut -c1-8; perl -e 'print pack("H*", "6f6b"), "\n"'
