-- keeps none: versions before it know no refusal for want of proof, and would mail at addresses that a page alone has stated
-- Contacts whose address a page alone has stated, and the visitor that it said so of: nobody is mailed at one until it is proven.
create table unproven_contacts (
  workspace_id bigint not null references workspaces (id),
  contact_id bigint not null,
  visitor_id text not null check (length(visitor_id) between 1 and 64),
  made_at timestamptz not null default now(),
  primary key (workspace_id, contact_id),
  foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade
);
create index unproven_contacts_by_age on unproven_contacts (workspace_id, made_at);
select postroom_guard('unproven_contacts');

-- What a page has said of a visitor, sealed, until the job that looks whether anybody is known by it has taken it.
create table identity_statements (
  workspace_id bigint not null references workspaces (id),
  visitor_id text not null check (length(visitor_id) between 1 and 64),
  content text not null,
  stated_at timestamptz not null default now(),
  primary key (workspace_id, visitor_id)
);
select postroom_guard('identity_statements');
