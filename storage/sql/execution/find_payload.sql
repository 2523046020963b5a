SELECT coalesce(length(p.input), 0), coalesce(length(p.output), 0),
    CASE WHEN length(p.input) <= :most THEN p.input ELSE x'' END,
    CASE WHEN length(p.output) <= :most THEN p.output ELSE x'' END
FROM executions AS e
LEFT JOIN execution_payloads AS p ON p.execution_id = e.id
WHERE e.id = :id AND e.tenant_id = :tenant
