# packages: ghostscript
# size: large
printf '%%!\n/Helvetica findfont 20 scalefont setfont 10 10 moveto (Hi) show showpage\n' > a.ps; gs -q -dBATCH -dNOPAUSE -sDEVICE=pngmono -sOutputFile=a.png a.ps && head -c 4 a.png | tail -c 3; echo
