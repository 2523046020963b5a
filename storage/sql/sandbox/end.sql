UPDATE sandboxes
SET state = 'destroyed', runtime_state = '', cause = ?, ended_at_ms = ?
WHERE id = ? AND state IN ('creating', 'running', 'paused', 'stopped')
