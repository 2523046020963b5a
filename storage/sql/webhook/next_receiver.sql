SELECT receiver
FROM webhooks
WHERE next_attempt_at_ms IS NOT NULL AND tenant_id = ? AND receiver > ?
ORDER BY receiver
LIMIT 1
