print(("O"):rep(1) .. "K")
