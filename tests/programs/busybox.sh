# packages: busybox-static
# size: small
busybox seq 3 | busybox sort -r; busybox sh -c 'echo $((6*7))'
