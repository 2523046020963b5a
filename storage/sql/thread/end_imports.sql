UPDATE threads
SET importing = 0
WHERE name IS NULL AND importing = 1
