-- The audit log as a chain: each entry's seal is a hash over the seal before it and the entry itself. Entries are sealed
-- soon after their commit, in the order of sealing: a chain kept by the writers would make them wait for each other.

alter table audit_entries add column sequence bigint, add column seal bytea check (length(seal) = 32);
create unique index audit_by_sequence on audit_entries (workspace_id, sequence) where sequence is not null;
create index audit_unsealed on audit_entries (workspace_id, id) where seal is null;

create table audit_chains (
  workspace_id bigint primary key references workspaces (id) on delete cascade,
  sequence bigint not null,
  seal bytea not null check (length(seal) = 32)
);
select postroom_guard('audit_chains');

-- Everything an entry says, in one fixed form.
create function audit_seal(before bytea, number bigint, entry audit_entries) returns bytea stable language sql as $$
  select sha256(before || convert_to(json_build_array(
    entry.workspace_id, number, entry.id, utc_text(entry.occurred_at), entry.actor_kind, entry.actor_id, entry.actor_name,
    entry.action, entry.target_type, entry.target_id, entry.target_name, entry.diff, entry.request_id, entry.ip,
    entry.user_agent)::text, 'UTF8'))
$$;

-- Once sealed, an entry is final; until then, the seal is all that may be added.
drop trigger audit_entries_are_final on audit_entries;
drop function refuse_audit_change();
create function refuse_audit_change() returns trigger language plpgsql as $$
declare
  unsealed audit_entries := new;
begin
  unsealed.sequence := old.sequence;
  unsealed.seal := old.seal;
  if old.seal is not null or unsealed is distinct from old then
    raise exception 'audit entries are never changed';
  end if;
  return new;
end $$;
create trigger audit_entries_are_final before update on audit_entries
  for each row execute function refuse_audit_change();

-- Seals up to `most` entries of one workspace; answers how many. Callers of one workspace take turns.
create function seal_audit_entries(workspace bigint, most integer) returns integer language plpgsql as $$
declare
  chain audit_chains;
  entry audit_entries;
  sealed integer := 0;
begin
  insert into audit_chains (workspace_id, sequence, seal) values (workspace, 0, sha256('')) on conflict do nothing;
  select * into chain from audit_chains where workspace_id = workspace for update;
  for entry in
    select * from audit_entries where workspace_id = workspace and seal is null order by id limit most
  loop
    chain.sequence := chain.sequence + 1;
    chain.seal := audit_seal(chain.seal, chain.sequence, entry);
    update audit_entries set sequence = chain.sequence, seal = chain.seal
    where workspace_id = workspace and id = entry.id;
    sealed := sealed + 1;
  end loop;
  update audit_chains set sequence = chain.sequence, seal = chain.seal where workspace_id = workspace and sealed > 0;
  return sealed;
end $$;
