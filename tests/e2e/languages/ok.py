print("".join(["O", "K"]))
