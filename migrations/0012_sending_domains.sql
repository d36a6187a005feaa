-- Domains that mail is sent from, and the DKIM keys that sign it.

create table sending_domains (
  workspace_id bigint not null references workspaces (id),
  id bigint generated always as identity,
  -- In ASCII (IDNA), lower case, without the final dot.
  domain text not null check (length(domain) between 3 and 253),
  -- What the last check found of SPF and DMARC; written and read as a whole (check-domain.ts).
  spf_check jsonb,
  dmarc_check jsonb,
  next_check_at timestamptz not null,
  -- While a check runs: nobody else begins one. A process that dies leaves it to run out.
  checking_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint sending_domains_domain_taken unique (workspace_id, domain)
);
create index sending_domains_due on sending_domains (next_check_at);
select postroom_guard('sending_domains');
select postroom_count_rows('sending_domains');

-- A domain always has one current key: the one its resource shows. `next` is published ahead and takes over when its
-- record is found; `retiring` was current, and its record stays until retires_at (null: while its successor is not
-- verified).
create table sending_domain_keys (
  workspace_id bigint not null,
  id bigint generated always as identity,
  domain_id bigint not null,
  role text not null check (role in ('current', 'next', 'retiring')),
  selector text not null check (length(selector) between 1 and 240),
  -- Base64 of the SubjectPublicKeyInfo, as `p=` has it.
  public_key text not null,
  -- PKCS #8, sealed (platform/crypto).
  private_key text not null,
  -- Since when its record is found as it should be; null while it is not.
  verified_at timestamptz,
  -- What the last check found of it, as spf_check above, and when.
  check_result jsonb,
  checked_at timestamptz,
  retires_at timestamptz check (retires_at is null or role = 'retiring'),
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, domain_id) references sending_domains (workspace_id, id) on delete cascade,
  unique (workspace_id, domain_id, selector)
);
create unique index sending_domain_current_key on sending_domain_keys (workspace_id, domain_id) where role = 'current';
create unique index sending_domain_next_key on sending_domain_keys (workspace_id, domain_id) where role = 'next';
select postroom_guard('sending_domain_keys');
