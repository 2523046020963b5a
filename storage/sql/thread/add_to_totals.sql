UPDATE thread_totals
SET checkpoints = checkpoints + ?, states = states + ?, bytes = bytes + ?
WHERE tenant_id = ?
