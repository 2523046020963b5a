#pragma once

#include <string_view>

namespace caisson::testing {

/// records.db as schema 1 made it, with rows in it. Frozen: databases like this one exist outside.
inline constexpr std::string_view records_of_schema_1 = R"sql(
CREATE TABLE tenants (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE, created_at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE api_keys (
    id TEXT NOT NULL PRIMARY KEY, tenant_id TEXT NOT NULL REFERENCES tenants (id), hash TEXT NOT NULL UNIQUE, hint TEXT NOT NULL,
    scopes TEXT NOT NULL, created_at_ms INTEGER NOT NULL, expires_at_ms INTEGER, last_used_at_ms INTEGER, revoked_at_ms INTEGER) STRICT;
CREATE INDEX api_keys_by_tenant ON api_keys (tenant_id, id);
CREATE TABLE sandboxes (
    id TEXT NOT NULL PRIMARY KEY, tenant_id TEXT NOT NULL, runtime TEXT NOT NULL, state TEXT NOT NULL, runtime_state TEXT NOT NULL,
    cause TEXT NOT NULL, created_at_ms INTEGER NOT NULL, ended_at_ms INTEGER) STRICT;
CREATE INDEX sandboxes_alive ON sandboxes (id) WHERE state IN ('creating', 'running', 'paused', 'stopped');
CREATE TABLE executions (
    id TEXT NOT NULL PRIMARY KEY, tenant_id TEXT NOT NULL, kind TEXT NOT NULL, status TEXT NOT NULL, created_at_ms INTEGER NOT NULL,
    cancel_requested INTEGER NOT NULL, verdict TEXT, exit_code INTEGER, signal INTEGER, started_at_ms INTEGER, finished_at_ms INTEGER,
    duration_ms INTEGER, error TEXT NOT NULL, language TEXT NOT NULL, runtime TEXT NOT NULL, sandbox_id TEXT, pty INTEGER NOT NULL,
    stdout_truncated INTEGER NOT NULL, stderr_truncated INTEGER NOT NULL, limits_hit TEXT NOT NULL, degraded TEXT NOT NULL,
    labels TEXT NOT NULL, limits TEXT NOT NULL, usage TEXT NOT NULL, stages TEXT NOT NULL) STRICT;
CREATE INDEX executions_by_tenant ON executions (tenant_id, id);
CREATE INDEX executions_unfinished ON executions (id) WHERE status IN ('queued', 'running');
CREATE TABLE execution_labels (
    tenant_id TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, execution_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, name, value, execution_id)) STRICT, WITHOUT ROWID;
CREATE TABLE execution_specs (
    execution_id TEXT NOT NULL PRIMARY KEY REFERENCES executions (id) ON DELETE CASCADE, spec TEXT NOT NULL) STRICT;
CREATE TABLE schema_migrations (version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at_ms INTEGER NOT NULL) STRICT;

INSERT INTO schema_migrations VALUES (1, '0001_tenants_keys_sandboxes_executions.sql', 'CHECKSUM', 1700000000000);
INSERT INTO tenants VALUES ('ten_00000000000000000000000001', 'acme', 1000);
INSERT INTO api_keys VALUES ('key_00000000000000000000000001', 'ten_00000000000000000000000001', 'hash-1', 'abcd', 'run,read', 1001, NULL, 1500, NULL);
INSERT INTO sandboxes VALUES ('sbx_00000000000000000000000001', 'ten_00000000000000000000000001', 'mock', 'running', '{}', '', 1001, NULL);
INSERT INTO executions VALUES
    ('exe_00000000000000000000000001', 'ten_00000000000000000000000001', 'command', 'success', 1001, 0, 'exited', 0, NULL, 1002, 1003, 1, '', '',
     'mock', NULL, 0, 0, 0, '[]', '[]', '{"team":"a"}',
     '{"wall_ms":30000,"cpu_ms":0,"memory_bytes":536870912,"pids":128,"disk_bytes":268435456,"inodes":16384,"file_bytes":0,"open_files":1024,"max_output_bytes":16777216,"cpus":0.5}',
     '{"cpu_ms":1,"output_bytes":0}', '{"queue_ms":0.5}'),
    ('exe_00000000000000000000000002', 'ten_00000000000000000000000001', 'command', 'queued', 1002, 1, NULL, NULL, NULL, NULL, NULL, NULL, '', '',
     'mock', NULL, 0, 0, 0, '[]', '[]', '{}',
     '{"wall_ms":30000,"cpu_ms":0,"memory_bytes":536870912,"pids":128,"disk_bytes":268435456,"inodes":16384,"file_bytes":0,"open_files":1024,"max_output_bytes":16777216,"cpus":0.5}',
     '{"output_bytes":0}', '{}');
INSERT INTO execution_labels VALUES ('ten_00000000000000000000000001', 'team', 'a', 'exe_00000000000000000000000001');
INSERT INTO execution_specs VALUES ('exe_00000000000000000000000002', 'SPEC');
PRAGMA application_id = 1130457345;
PRAGMA user_version = 1;
)sql";

}    // namespace caisson::testing
