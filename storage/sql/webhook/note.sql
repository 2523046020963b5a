UPDATE webhooks
SET state = ?, attempts = ?, last_status = ?, last_error = ?, next_attempt_at_ms = ?
WHERE execution_id = ?
