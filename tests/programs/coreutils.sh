# packages: coreutils
# size: small
seq 5 | shuf --random-source=/dev/zero | sort -n | tr '\n' ' '; date -u -d @0 +%F; TZ=Europe/Berlin date -d @0 +%H; id -u >/dev/null; stat -c %a /tmp; nproc >/dev/null; echo ok
