# packages: maxima
# size: large
# limits: memory_bytes=1073741824
# differs: it ends without a word; why is not known
echo 'display2d: false$ string(integrate(x^2, x)); ' | maxima --very-quiet | tail -n 1
