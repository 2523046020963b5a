(display (string-append "O" "K"))
(newline)
