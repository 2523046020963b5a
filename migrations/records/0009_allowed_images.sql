-- Images that the API allowed, in addition to those of the config.

CREATE TABLE allowed_images (
    tenant_id TEXT NOT NULL,            -- '': for all tenants that have no list of their own
    image TEXT NOT NULL,                -- exact
    added_at_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, image)
) STRICT, WITHOUT ROWID;
