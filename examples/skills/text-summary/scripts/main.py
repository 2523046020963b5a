"""A summary by picking: the sentences whose words weigh most, in their order."""

import json
import math
import os
import re
from collections import Counter
from pathlib import Path

FIRST_SENTENCE_BONUS = 1.15


def read_input():
    """The input is in the environment; a large one is in the file only."""
    text = os.environ.get("SANDBOX_INPUT")
    return json.loads(text if text is not None else Path("/sandbox/input.json").read_text(encoding="utf-8"))


def sentences_of(text):
    parts = re.split(r"(?<=[.!?])\s+", " ".join(text.split()))
    return [part for part in parts if part]


def words_of(sentence):
    return re.findall(r"\w+", sentence.lower())


def weights(sentences):
    """TF-IDF of each sentence, a mean over its words so that long ones do not win by length."""
    words = [words_of(sentence) for sentence in sentences]
    spread = Counter(word for each in words for word in set(each))
    found = []
    for place, each in enumerate(words):
        counts = Counter(each)
        sum_ = sum(count * math.log(1 + len(sentences) / spread[word]) for word, count in counts.items())
        mean = sum_ / len(each) if each else 0.0
        found.append(mean * FIRST_SENTENCE_BONUS if place == 0 else mean)
    return found


def main():
    given = read_input()
    sentences = sentences_of(given["text"])
    weight = weights(sentences)
    best = sorted(range(len(sentences)), key=lambda place: -weight[place])[: given.get("sentences", 3)]
    kept = [sentences[place] for place in sorted(best)]
    result = {
        "summary": " ".join(kept),
        "sentences": kept,
        "original_sentences": len(sentences),
        "kept_sentences": len(kept),
    }
    target = Path(os.environ["SANDBOX_OUTPUT"])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(result, ensure_ascii=False), encoding="utf-8")
    print(f"Kept {len(kept)} of {len(sentences)} sentences")


if __name__ == "__main__":
    main()
