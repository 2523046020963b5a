-- States are those of the table: 1 is being written, 3 erased or given up. What has no size yet is as large as its chunks, of 256 KiB at most.
SELECT bytes
    - (SELECT coalesce(sum(coalesce(contents.size_bytes, 262144 * (SELECT count(*) FROM pieces AS p WHERE p.content_id = contents.id))), 0)
       FROM contents WHERE contents.state = 3 AND contents.tenant_id = :tenant)
    - (SELECT coalesce(sum(262144 * (SELECT count(*) FROM pieces AS p WHERE p.content_id = contents.id)), 0)
       FROM contents WHERE contents.state = 1 AND contents.tenant_id = :tenant)
FROM stored_totals
WHERE tenant_id = :tenant
