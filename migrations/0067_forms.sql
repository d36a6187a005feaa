-- keeps 0060

-- Forms by which people sign up by themselves. `content` is what the newest version has.
create table forms (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  -- Stands in the addresses of the form: whoever has it may fill the form in, and nothing else.
  key text not null check (length(key) between 20 and 40),
  version integer not null default 1 check (version >= 1),
  content json not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
create unique index forms_by_key on forms (key);
select postroom_guard('forms');
select postroom_count_rows('forms');

-- Every version of a form: what somebody saw who filled it in, the wording of their consent above all.
create table form_versions (
  workspace_id bigint not null,
  form_id bigint not null,
  version integer not null,
  content json not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, form_id, version),
  foreign key (workspace_id, form_id) references forms (workspace_id, id) on delete cascade
);
select postroom_guard('form_versions');

-- Filled-in forms. Nobody becomes a contact by one of them before they confirm it by the link of a mail.
create table form_submissions (
  workspace_id bigint not null,
  id bigint generated always as identity,
  form_id bigint not null,
  version integer not null,
  state text not null default 'pending' check (state in ('pending', 'confirmed', 'expired', 'refused')),
  -- Of a refused one.
  reason text check ((reason is not null) = (state = 'refused')),
  -- What was filled in, sealed; gone as soon as it is of no more use.
  content text check (content is null or state = 'pending'),
  -- Under a key of the instance: tells that two submissions are of one address, and not which it is.
  address_hash bytea not null check (length(address_hash) = 32),
  -- Cut to the network.
  ip inet,
  origin text check (length(origin) <= 300),
  message_id bigint,
  contact_id bigint,
  confirm_ip inet,
  created_at timestamptz not null,
  confirmed_at timestamptz check ((confirmed_at is not null) = (state = 'confirmed')),
  primary key (workspace_id, id),
  foreign key (workspace_id, form_id, version) references form_versions (workspace_id, form_id, version) on delete cascade,
  foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade
);
create index form_submissions_of_form on form_submissions (workspace_id, form_id, id);
create index form_submissions_of_contact on form_submissions (workspace_id, contact_id) where contact_id is not null;
create index form_submissions_by_message on form_submissions (workspace_id, message_id) where message_id is not null;
create index form_submissions_pending on form_submissions (created_at) where state = 'pending';
select postroom_guard('form_submissions');

-- How forms fare, by the hour: sums that outlive the submissions and count what leaves no row.
create table form_hours (
  workspace_id bigint not null,
  form_id bigint not null,
  hour timestamptz not null,
  outcome text not null,
  total bigint not null,
  primary key (workspace_id, form_id, hour, outcome),
  foreign key (workspace_id, form_id) references forms (workspace_id, id) on delete cascade
);
select postroom_guard('form_hours');

-- Addresses whose owners said that they had not filled in a form of the workspace: they are not asked again.
create table form_blocks (
  workspace_id bigint not null references workspaces (id),
  address_hash bytea not null check (length(address_hash) = 32),
  created_at timestamptz not null default now(),
  primary key (workspace_id, address_hash)
);
select postroom_guard('form_blocks');

-- Budgets of mails that forms cause, over all workspaces of the instance. A subject is a keyed hash: of an address, a network,
-- a recipient domain or a form. Its span begins with its first use.
create table form_budgets (
  subject bytea primary key check (length(subject) = 32),
  ends_at timestamptz not null,
  used integer not null
);
create index form_budgets_over on form_budgets (ends_at);
