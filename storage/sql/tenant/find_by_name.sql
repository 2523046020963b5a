SELECT id
FROM tenants
WHERE name = ?
