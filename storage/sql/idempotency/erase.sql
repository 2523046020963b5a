DELETE FROM idempotency_keys
WHERE tenant_id = ? AND route = ? AND key = ?
