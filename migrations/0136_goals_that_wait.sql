-- keeps 0133
-- Goals that wait for their turn, those of paused automations for weeks.
update run_queue q set way = 1
from automation_listens l
where q.kind = 'goal' and l.kind = 'goal' and l.way = 1 and l.workspace_id = q.workspace_id and l.automation_id = q.automation_id
  and l.version = q.version;
