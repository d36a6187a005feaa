-- keeps 0061
alter table automations
  -- Nodes at which too many have failed: whoever comes there is parked untried, until somebody steers them.
  add column halted_nodes text[] not null default '{}',
  -- Mail that was due before is not sent any more: how a pause was ended.
  add column mail_from timestamptz;
