DELETE FROM webhooks
WHERE execution_id IN (SELECT execution_id FROM webhooks WHERE ended_at_ms < ? ORDER BY ended_at_ms LIMIT ?)
