"""Counts the words of a text file and says how far it is while it works.

usage: word_count.py FILE
"""

import re
import sys
import time
from collections import Counter

STEPS = 8
PAUSE_S = 0.25  # so that one can watch the output come


def words_of(text):
    return re.findall(r"[a-z']+", text.lower())


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = file.readlines()
    counts = Counter()
    for step in range(STEPS):
        part = lines[len(lines) * step // STEPS : len(lines) * (step + 1) // STEPS]
        counts.update(words_of("".join(part)))
        print(f"{(step + 1) * 100 // STEPS:3d}%  {sum(counts.values()):6d} words, {len(counts):5d} different")
        time.sleep(PAUSE_S)
    print("The ten words used most:")
    for word, count in counts.most_common(10):
        print(f"  {count:5d}  {word}")
    print(f"{len(lines)} lines read", file=sys.stderr)


if __name__ == "__main__":
    main()
