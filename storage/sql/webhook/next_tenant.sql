SELECT tenant_id
FROM webhooks
WHERE next_attempt_at_ms IS NOT NULL AND tenant_id > ?
ORDER BY tenant_id
LIMIT 1
