SELECT coalesce(length(p.input), 0), coalesce(substr(p.input, :begin, :most), x'')
FROM executions AS e
LEFT JOIN execution_payloads AS p ON p.execution_id = e.id
WHERE e.id = :id AND e.tenant_id = :tenant
