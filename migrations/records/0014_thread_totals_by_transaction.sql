-- Checkpoints and states are counted by whoever adds or removes them, once a transaction: a trigger costs each row a journal of its statement.
DROP TRIGGER checkpoint_added;
DROP TRIGGER checkpoint_removed;
DROP TRIGGER state_added;
DROP TRIGGER state_removed;
