# packages: postgresql
# size: large
# limits: memory_bytes=1073741824 wall_ms=60000 disk_bytes=1073741824
bin=$(echo /usr/lib/postgresql/*/bin); $bin/initdb -D "$PWD/d" -A trust >/dev/null && $bin/pg_ctl -D "$PWD/d" -o "-k $PWD -c listen_addresses=''" -l log -w start >/dev/null
psql -h "$PWD" -d postgres -Atc 'select sum(g) from generate_series(1, 10) g'; $bin/pg_ctl -D "$PWD/d" -m fast stop >/dev/null
