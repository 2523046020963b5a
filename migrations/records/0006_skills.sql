-- What a tenant uploaded. A package says its own name and version, so its digest names both.

CREATE TABLE skill_versions (
    tenant_id TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    digest TEXT NOT NULL,               -- of the package that the version means now
    description TEXT NOT NULL,          -- of that package; the same for lang
    lang TEXT NOT NULL,
    uploaded_at_ms INTEGER NOT NULL,
    disabled INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, name, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE skill_revisions (
    tenant_id TEXT NOT NULL,
    digest TEXT NOT NULL,               -- SHA-256 of the package as uploaded, lower-case hex
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    content_id TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    files INTEGER NOT NULL,
    format TEXT NOT NULL,               -- zip, tar.gz
    uploaded_at_ms INTEGER NOT NULL,
    replaced_at_ms INTEGER,             -- by a newer upload of the same version
    manifest TEXT NOT NULL,             -- JSON
    PRIMARY KEY (tenant_id, digest)
) STRICT;

CREATE INDEX skill_revisions_by_version ON skill_revisions (tenant_id, name, version, uploaded_at_ms, digest);
CREATE INDEX skill_revisions_by_content ON skill_revisions (content_id);

-- Of each tenant that ever uploaded, kept by the triggers below: what its bounds are held against.
CREATE TABLE skill_totals (
    tenant_id TEXT NOT NULL PRIMARY KEY,
    skills INTEGER NOT NULL,            -- names
    revisions INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER skill_revision_added AFTER INSERT ON skill_revisions BEGIN
    INSERT INTO skill_totals (tenant_id, skills, revisions, bytes) VALUES (NEW.tenant_id, 0, 1, NEW.size_bytes)
    ON CONFLICT (tenant_id) DO UPDATE SET revisions = revisions + 1, bytes = bytes + NEW.size_bytes;
END;

CREATE TRIGGER skill_revision_removed AFTER DELETE ON skill_revisions BEGIN
    UPDATE skill_totals SET revisions = revisions - 1, bytes = bytes - OLD.size_bytes WHERE tenant_id = OLD.tenant_id;
END;

CREATE TRIGGER skill_added AFTER INSERT ON skill_versions
WHEN (SELECT count(*) FROM (SELECT 1 FROM skill_versions WHERE tenant_id = NEW.tenant_id AND name = NEW.name LIMIT 2)) = 1 BEGIN
    INSERT INTO skill_totals (tenant_id, skills, revisions, bytes) VALUES (NEW.tenant_id, 1, 0, 0)
    ON CONFLICT (tenant_id) DO UPDATE SET skills = skills + 1;
END;

CREATE TRIGGER skill_removed AFTER DELETE ON skill_versions
WHEN NOT EXISTS (SELECT 1 FROM skill_versions WHERE tenant_id = OLD.tenant_id AND name = OLD.name) BEGIN
    UPDATE skill_totals SET skills = skills - 1 WHERE tenant_id = OLD.tenant_id;
END;
