-- How the executions of a tenant ended, all that ever did. Kept by the triggers; what is removed stays counted.

CREATE TABLE execution_totals (
    tenant_id TEXT NOT NULL,
    part TEXT NOT NULL,                 -- '': all; language; skill
    name TEXT NOT NULL,                 -- of the language or skill
    total INTEGER NOT NULL,
    success INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    timeout INTEGER NOT NULL,
    cancelled INTEGER NOT NULL,
    interrupted INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, part, name)
) STRICT, WITHOUT ROWID;

-- Each end, once for each part that it counts in.
CREATE VIEW execution_ends AS
SELECT e.id, e.tenant_id, p.part, CASE p.part WHEN 'language' THEN e.language WHEN 'skill' THEN e.skill ELSE '' END AS name, e.status,
    coalesce(e.duration_ms, 0) AS duration_ms
FROM executions AS e
JOIN (SELECT '' AS part UNION ALL SELECT 'language' UNION ALL SELECT 'skill') AS p
WHERE e.status NOT IN ('queued', 'running') AND (p.part <> 'language' OR e.language <> '') AND (p.part <> 'skill' OR e.skill IS NOT NULL);

INSERT INTO execution_totals (tenant_id, part, name, total, success, failed, timeout, cancelled, interrupted, duration_ms)
SELECT tenant_id, part, name, count(*), sum(status = 'success'), sum(status = 'failed'), sum(status = 'timeout'), sum(status = 'cancelled'),
    sum(status = 'interrupted'), sum(duration_ms)
FROM execution_ends
GROUP BY tenant_id, part, name;

CREATE TRIGGER execution_ended AFTER UPDATE OF status ON executions
WHEN old.status IN ('queued', 'running') AND new.status NOT IN ('queued', 'running') BEGIN
    INSERT INTO execution_totals (tenant_id, part, name, total, success, failed, timeout, cancelled, interrupted, duration_ms)
    SELECT tenant_id, part, name, 1, status = 'success', status = 'failed', status = 'timeout', status = 'cancelled', status = 'interrupted',
        duration_ms
    FROM execution_ends
    WHERE id = new.id
    ON CONFLICT (tenant_id, part, name) DO UPDATE
    SET total = total + 1, success = success + excluded.success, failed = failed + excluded.failed, timeout = timeout + excluded.timeout,
        cancelled = cancelled + excluded.cancelled, interrupted = interrupted + excluded.interrupted,
        duration_ms = duration_ms + excluded.duration_ms;
END;

CREATE TRIGGER execution_came_ended AFTER INSERT ON executions WHEN new.status NOT IN ('queued', 'running') BEGIN
    INSERT INTO execution_totals (tenant_id, part, name, total, success, failed, timeout, cancelled, interrupted, duration_ms)
    SELECT tenant_id, part, name, 1, status = 'success', status = 'failed', status = 'timeout', status = 'cancelled', status = 'interrupted',
        duration_ms
    FROM execution_ends
    WHERE id = new.id
    ON CONFLICT (tenant_id, part, name) DO UPDATE
    SET total = total + 1, success = success + excluded.success, failed = failed + excluded.failed, timeout = timeout + excluded.timeout,
        cancelled = cancelled + excluded.cancelled, interrupted = interrupted + excluded.interrupted,
        duration_ms = duration_ms + excluded.duration_ms;
END;
