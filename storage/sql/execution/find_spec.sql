SELECT s.spec, s.has_body
FROM executions AS e
JOIN execution_specs AS s ON s.execution_id = e.id
WHERE e.id = ? AND e.tenant_id = ?
