INSERT INTO schema_migrations (version, name, checksum, applied_at_ms)
VALUES (?, ?, ?, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER))
