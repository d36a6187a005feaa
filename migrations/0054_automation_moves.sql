-- Publishing that takes those inside along: each run of an older version gets a row in the queue, at the moment of
-- publishing, and its own turn does it (ADR 15). A later publishing revokes what is not done yet.
create table automation_moves (
  workspace_id bigint not null,
  automation_id bigint not null,
  number integer not null check (number > 0),
  -- Into it.
  version integer not null,
  inside text not null check (inside in ('move', 'exit')),
  -- Where those at a node go on: {"node": "node of the version, end or exit"}.
  map jsonb not null,
  -- Only those at these nodes; null: all.
  nodes text[],
  published_at timestamptz not null,
  -- Runs up to this one have their row in the queue; there is none behind the last one.
  placed_to bigint not null default 0,
  last_run_id bigint not null,
  state text not null default 'running' check (state in ('running', 'done', 'revoked')),
  primary key (workspace_id, automation_id, number),
  foreign key (workspace_id, automation_id, version) references automation_versions (workspace_id, automation_id, version)
    on delete cascade
);
select postroom_guard('automation_moves');

-- Of a move: `version` is the one it leads to, `visit` the number of the move.
alter table run_queue
  drop constraint run_queue_kind_check,
  add constraint run_queue_kind_check check (kind in ('entry', 'timer', 'exit', 'goal', 'wait', 'move'));
