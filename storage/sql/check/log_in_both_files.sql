-- Readers of such a one would see the part that lies with its record only.
SELECT l.execution_id
FROM main.logs AS l
JOIN ev.logs AS far ON far.execution_id = l.execution_id
ORDER BY l.execution_id
