-- The last event that a viewer at this position has, as all before it: positions only grow along a log.
SELECT seq
FROM events
WHERE log = :log AND seq <= :seq AND control_no <= :control AND stdout_end <= :stdout_end AND stderr_end <= :stderr_end
ORDER BY seq DESC
LIMIT 1
