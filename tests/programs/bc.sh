# packages: bc
# size: small
echo 'scale=20; 4*a(1)' | bc -l
