INSERT INTO state_texts (state_key, packed)
VALUES (?, ?)
