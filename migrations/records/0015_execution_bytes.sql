-- What is kept of each ended execution: its record, log, input and output, about; and the sum of each tenant's, of those that are there.

ALTER TABLE executions ADD COLUMN kept_bytes INTEGER NOT NULL DEFAULT 0;    -- 0 before the end

-- Of before: the log is taken to be what the execution wrote, as far as it was kept.
UPDATE executions
SET kept_bytes = 1024 + length(error) + 2 * length(labels) + length(details)
    + coalesce(min(json_extract(usage, '$.output_bytes'), json_extract(limits, '$.max_output_bytes')), 0)
    + coalesce((SELECT length(p.input) + length(p.output) FROM execution_payloads AS p WHERE p.execution_id = executions.id), 0)
WHERE status NOT IN ('queued', 'running');

ALTER TABLE execution_totals ADD COLUMN kept_bytes INTEGER NOT NULL DEFAULT 0;    -- of part '' only

UPDATE execution_totals
SET kept_bytes = (SELECT coalesce(sum(e.kept_bytes), 0) FROM executions AS e WHERE e.tenant_id = execution_totals.tenant_id)
WHERE part = '';

DROP TRIGGER execution_ended;
DROP TRIGGER execution_came_ended;
DROP VIEW execution_ends;

CREATE VIEW execution_ends AS
SELECT e.id, e.tenant_id, p.part, CASE p.part WHEN 'language' THEN e.language WHEN 'skill' THEN e.skill ELSE '' END AS name, e.status,
    coalesce(e.duration_ms, 0) AS duration_ms, CASE p.part WHEN '' THEN e.kept_bytes ELSE 0 END AS kept_bytes
FROM executions AS e
JOIN (SELECT '' AS part UNION ALL SELECT 'language' UNION ALL SELECT 'skill') AS p
WHERE e.status NOT IN ('queued', 'running') AND (p.part <> 'language' OR e.language <> '') AND (p.part <> 'skill' OR e.skill IS NOT NULL);

CREATE TRIGGER execution_ended AFTER UPDATE OF status ON executions
WHEN old.status IN ('queued', 'running') AND new.status NOT IN ('queued', 'running') BEGIN
    INSERT INTO execution_totals (tenant_id, part, name, total, success, failed, timeout, cancelled, interrupted, duration_ms, kept_bytes)
    SELECT tenant_id, part, name, 1, status = 'success', status = 'failed', status = 'timeout', status = 'cancelled', status = 'interrupted',
        duration_ms, kept_bytes
    FROM execution_ends
    WHERE id = new.id
    ON CONFLICT (tenant_id, part, name) DO UPDATE
    SET total = total + 1, success = success + excluded.success, failed = failed + excluded.failed, timeout = timeout + excluded.timeout,
        cancelled = cancelled + excluded.cancelled, interrupted = interrupted + excluded.interrupted,
        duration_ms = duration_ms + excluded.duration_ms, kept_bytes = kept_bytes + excluded.kept_bytes;
END;

CREATE TRIGGER execution_came_ended AFTER INSERT ON executions WHEN new.status NOT IN ('queued', 'running') BEGIN
    INSERT INTO execution_totals (tenant_id, part, name, total, success, failed, timeout, cancelled, interrupted, duration_ms, kept_bytes)
    SELECT tenant_id, part, name, 1, status = 'success', status = 'failed', status = 'timeout', status = 'cancelled', status = 'interrupted',
        duration_ms, kept_bytes
    FROM execution_ends
    WHERE id = new.id
    ON CONFLICT (tenant_id, part, name) DO UPDATE
    SET total = total + 1, success = success + excluded.success, failed = failed + excluded.failed, timeout = timeout + excluded.timeout,
        cancelled = cancelled + excluded.cancelled, interrupted = interrupted + excluded.interrupted,
        duration_ms = duration_ms + excluded.duration_ms, kept_bytes = kept_bytes + excluded.kept_bytes;
END;

CREATE TRIGGER execution_removed AFTER DELETE ON executions WHEN old.kept_bytes <> 0 BEGIN
    UPDATE execution_totals
    SET kept_bytes = kept_bytes - old.kept_bytes
    WHERE tenant_id = old.tenant_id AND part = '' AND name = '';
END;
