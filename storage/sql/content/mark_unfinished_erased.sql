UPDATE contents
SET state = 3
WHERE state = 1
