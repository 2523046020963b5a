# packages: gnuplot-nox
# size: large
gnuplot -e 'set terminal png; set output "a.png"; plot sin(x)' && head -c 4 a.png | tail -c 3; echo
