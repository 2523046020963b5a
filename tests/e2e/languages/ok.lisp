(format t "~a~a~%" "O" "K")
