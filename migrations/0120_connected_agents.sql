-- keeps 0118
-- Agents that people connect by OAuth 2.1 (docs/adr/0019-agents-connect-by-oauth.md). Each acts under a token of its own that nobody
-- has: it shows short-lived secrets, which lead to it. So policies, budgets, limits and the log know it as any other token.
create table agent_grants (
  workspace_id bigint not null,
  token_id bigint not null,
  -- Whoever connected it: it may never do more than they may.
  user_id bigint not null references users (id) on delete cascade,
  client_id text not null check (length(client_id) between 1 and 4000),
  -- Where the client's description of itself came from; null: it only said so itself.
  client_host text check (length(client_host) between 1 and 300),
  redirect_host text not null check (length(redirect_host) between 1 and 300),
  -- Null until it has fetched its first secrets.
  connected_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (workspace_id, token_id),
  foreign key (workspace_id, token_id) references api_tokens (workspace_id, id) on delete cascade
);
create index agent_grants_of_user on agent_grants (user_id);
select postroom_guard('agent_grants');

-- Codes, access tokens and refresh tokens, as their SHA-256 only.
create table agent_secrets (
  workspace_id bigint not null,
  hash bytea not null check (length(hash) = 32),
  token_id bigint not null,
  kind text not null check (kind in ('code', 'access', 'refresh')),
  expires_at timestamptz not null,
  -- Codes and refresh tokens work once. The second time somebody else has them.
  used_at timestamptz,
  -- Of codes alone: what the one who fetches the tokens has to show (RFC 7636), and where the code was sent.
  code_challenge text check (length(code_challenge) = 43),
  redirect_uri text check (length(redirect_uri) between 1 and 500),
  primary key (workspace_id, hash),
  foreign key (workspace_id, token_id) references agent_grants (workspace_id, token_id) on delete cascade,
  check (num_nulls(code_challenge, redirect_uri) = case kind when 'code' then 0 else 2 end)
);
-- A request shows its secret before anybody knows its workspace.
create index agent_secrets_by_hash on agent_secrets (hash);
create index agent_secrets_of_grant on agent_secrets (workspace_id, token_id);
create index agent_secrets_by_end on agent_secrets (expires_at);
select postroom_guard('agent_secrets');
