# packages: curl
# size: small
printf 'hello\n' > index.html
/usr/bin/python3 -m http.server 8099 --bind 127.0.0.1 >/dev/null 2>&1 & server=$!
curl -s --retry 20 --retry-connrefused --retry-delay 0 --retry-max-time 20 http://127.0.0.1:8099/
kill $server
