echo "O" & "K"
