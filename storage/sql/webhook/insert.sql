INSERT INTO webhooks (execution_id, tenant_id, receiver, url, secret, state, attempts, last_error)
VALUES (?, ?, ?, ?, ?, 'pending', 0, '')
