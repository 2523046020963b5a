-- Lists of executions narrowed by status, kind or time are decided in an index: rows are read only for the page itself.

DROP INDEX executions_by_tenant;
CREATE INDEX executions_by_tenant ON executions (tenant_id, id, status, kind, created_at_ms);
CREATE INDEX executions_by_status ON executions (tenant_id, status, id, kind, created_at_ms);
