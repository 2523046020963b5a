-- Small contents that were added together lie one behind the other in one chunk, a pack. Their only piece says where, and is a use of the chunk.
ALTER TABLE pieces ADD COLUMN first_byte INTEGER;    -- of the chunk; null, like the next: the piece is the whole chunk
ALTER TABLE pieces ADD COLUMN size_bytes INTEGER;
