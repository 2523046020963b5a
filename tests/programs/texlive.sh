# packages: texlive-latex-base
# size: large
# limits: memory_bytes=1073741824 wall_ms=60000 cpus=2
pdflatex -interaction=batchmode '\documentclass{article}\begin{document}Hi\end{document}' >/dev/null 2>&1; ls *.pdf
