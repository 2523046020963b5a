# packages: util-linux
# size: small
echo "a b" | column -t; flock lock echo locked; printf 'abc' | hexdump -C | head -n 1; rev <<<abc; getopt -o a: -- -a 1; script -qec 'echo terminal' /dev/null | tr -d '\r'
