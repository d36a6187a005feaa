-- keeps 0147
-- Keys that custom fields gave up by a rename. Whatever names one, a template, a program or a page that was shown before, means the
-- field, until another takes the key.
create table custom_field_former_keys (
  workspace_id bigint not null,
  key text not null check (length(key) between 1 and 100),
  field_id bigint not null,
  given_up_at timestamptz not null default now(),
  primary key (workspace_id, key),
  foreign key (workspace_id, field_id) references custom_fields (workspace_id, id) on delete cascade
);
create index custom_field_former_keys_of_field on custom_field_former_keys (workspace_id, field_id);
select postroom_guard('custom_field_former_keys');

insert into custom_field_former_keys (workspace_id, key, field_id)
select workspace_id, previous_key, id from custom_fields where previous_key is not null;
