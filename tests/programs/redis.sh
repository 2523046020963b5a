# packages: redis-server redis-tools
# size: small
redis-server --port 0 --unixsocket "$PWD/s" --save '' --daemonize no >/dev/null 2>&1 & server=$!
until redis-cli -s "$PWD/s" ping >/dev/null 2>&1; do kill -0 $server || exit 1; done
redis-cli -s "$PWD/s" set a 1; redis-cli -s "$PWD/s" incr a; redis-cli -s "$PWD/s" shutdown nosave; wait $server || true
