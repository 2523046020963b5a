-- The last event that a viewer at this position has, as all before it: positions only grow along a log.
SELECT seq
FROM events
WHERE log = :log AND seq <= :seq AND :control + :stdout_end + :stderr_end IS NOT NULL
ORDER BY seq DESC
LIMIT 1
