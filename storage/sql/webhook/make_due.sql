UPDATE webhooks
SET ended_at_ms = ?1, next_attempt_at_ms = ?1
WHERE execution_id = ?2
