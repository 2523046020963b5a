# packages: openssl
# size: small
openssl req -x509 -newkey rsa:2048 -nodes -keyout k -out c -days 1 -subj /CN=localhost 2>/dev/null; openssl x509 -in c -noout -subject; printf a | openssl dgst -sha256; openssl verify -CAfile c c
