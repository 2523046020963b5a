UPDATE contents
SET state = 2, sha256 = ?, size_bytes = ?, finished_at_ms = ?
WHERE id = ? AND state = 1
