SELECT keys
FROM idempotency_counts
WHERE tenant_id = ?
