SELECT url, state, attempts, last_status, last_error, next_attempt_at_ms
FROM webhooks
WHERE execution_id = ? AND tenant_id = ?
