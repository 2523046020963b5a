DELETE FROM state_texts
WHERE state_key = ?
