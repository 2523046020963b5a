# packages: poppler-utils ghostscript
# size: large
printf '%%!\n/Helvetica findfont 20 scalefont setfont 10 10 moveto (Hello) show showpage\n' > a.ps; ps2pdf a.ps a.pdf && pdftotext a.pdf - | head -n 1
