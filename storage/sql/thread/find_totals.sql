SELECT threads, checkpoints, states, bytes
FROM thread_totals
WHERE tenant_id = ?
