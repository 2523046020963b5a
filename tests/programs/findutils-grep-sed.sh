# packages: findutils grep sed
# size: small
mkdir -p d/e; printf 'one\ntwo\n' > d/e/f; find d -type f -exec grep -Hn two {} +; grep -P '\bo(?=ne)' d/e/f; sed -E 's/(o)(n)/\2\1/' d/e/f; printf 'a b' | xargs -n1 echo
