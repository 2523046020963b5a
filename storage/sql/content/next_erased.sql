SELECT id
FROM contents
WHERE state = 3
ORDER BY id
LIMIT 1
