SELECT next_attempt_at_ms
FROM webhooks
WHERE next_attempt_at_ms > ?
ORDER BY next_attempt_at_ms
LIMIT 1
