SELECT execution_id, secret, url, state, attempts, last_status, last_error, next_attempt_at_ms
FROM webhooks
WHERE tenant_id = ? AND receiver = ? AND next_attempt_at_ms <= ?
ORDER BY next_attempt_at_ms
LIMIT ?
