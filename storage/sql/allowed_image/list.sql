SELECT a.image, a.tenant_id, coalesce(t.name, ''), a.added_at_ms
FROM allowed_images AS a
LEFT JOIN tenants AS t ON t.id = a.tenant_id
WHERE a.tenant_id >= ''
ORDER BY a.tenant_id, a.image
