-- The one installation that this database is: by what it knows that it was restored or copied, and whether it is held for it.
create table installation (
  only_one boolean primary key default true check (only_one),
  -- Chosen at the first start; what is kept of it outside the database stands under this name.
  id uuid,
  -- The cluster and the database that it was last found in.
  system_identifier bigint,
  database_oid oid,
  -- Counts its lives: each restore and each copy begins another one, which nobody else has the id of.
  epoch integer not null default 1,
  epoch_id uuid not null default gen_random_uuid(),
  -- Goes up while ids are given; what is kept outside names the newest one that was committed.
  mark bigint not null default 0,
  marked_at timestamptz,
  -- Nothing goes out from then on, and why: cluster, behind, told, copy.
  held_since timestamptz,
  held_reason text check (held_reason in ('cluster', 'behind', 'told', 'copy')),
  -- Where the sequences stood when it was held, before they were moved ahead.
  sequences jsonb,
  check ((held_since is null) = (held_reason is null)),
  check ((id is null) = (system_identifier is null) and (id is null) = (database_oid is null))
) with (fillfactor = 50);
insert into installation default values;
