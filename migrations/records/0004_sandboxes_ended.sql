-- Records of ended sandboxes are removed after a while, oldest first.

CREATE INDEX sandboxes_ended ON sandboxes (ended_at_ms) WHERE ended_at_ms IS NOT NULL;
