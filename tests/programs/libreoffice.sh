# packages: libreoffice-calc-nogui
# size: large
# limits: memory_bytes=2147483648 pids=256 wall_ms=120000 cpus=2 disk_bytes=1073741824
export HOME=$PWD; printf 'a,b\n1,2\n' > a.csv; soffice --headless --convert-to xlsx a.csv >/dev/null 2>&1; file -b a.xlsx | cut -d' ' -f1-2
