# packages: procps
# size: small
ps -o comm= -p $$ | head -n 1; free >/dev/null && uptime >/dev/null && echo ok
