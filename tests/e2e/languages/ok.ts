const letters: readonly string[] = ["O", "K"];
console.log(letters.join(""));
