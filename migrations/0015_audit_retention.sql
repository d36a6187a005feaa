-- How long a workspace keeps its audit log, and a chain that can be proved from its first kept entry on.

-- Null = for ever.
alter table workspaces add column audit_retention_days integer check (audit_retention_days between 1 and 36500);

-- The anchor is the last entry that retention has taken: the chain begins with its seal. The mac covers all of the row;
-- its key is not in the database, so that whoever rewrites the log and seals it anew still shows.
alter table audit_chains
  add column anchor_sequence bigint not null default 0,
  add column anchor_seal bytea not null default sha256('') check (length(anchor_seal) = 32),
  add column mac text,
  add check (anchor_sequence between 0 and sequence);

-- Takes up to `most` sealed entries older than `cutoff` from the beginning of a workspace's log; answers how many. What is
-- taken is verified first: nothing goes from a chain that does not hold, so that retention covers no traces.
create function prune_audit_entries(workspace bigint, cutoff timestamptz, most integer) returns integer language plpgsql as $$
declare
  chain audit_chains;
  entry audit_entries;
  number bigint;
  before bytea;
begin
  select * into chain from audit_chains where workspace_id = workspace for update;
  if not found then return 0; end if;
  number := chain.anchor_sequence;
  before := chain.anchor_seal;
  for entry in
    select * from audit_entries where workspace_id = workspace and sequence is not null order by sequence limit most
  loop
    exit when entry.occurred_at >= cutoff;
    if entry.sequence <> number + 1 or entry.seal <> audit_seal(before, entry.sequence, entry) then return 0; end if;
    number := entry.sequence;
    before := entry.seal;
  end loop;
  if number > chain.sequence or (number = chain.sequence and before <> chain.seal) then return 0; end if;
  delete from audit_entries where workspace_id = workspace and sequence > chain.anchor_sequence and sequence <= number;
  update audit_chains set anchor_sequence = number, anchor_seal = before
  where workspace_id = workspace and number > chain.anchor_sequence;
  return number - chain.anchor_sequence;
end $$;
