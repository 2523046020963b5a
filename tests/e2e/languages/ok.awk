BEGIN { n = split("O K", letters, " "); print letters[1] letters[n] }
