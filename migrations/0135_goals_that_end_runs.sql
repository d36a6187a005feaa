-- keeps 0133
-- A goal that ends its run is told apart from one that only counts by its `way`, so that it ends the run while the automation is
-- paused, and holds back the mail that is still to go out, as every other exit does.
update automation_listens l set way = 1
from automation_versions v
where l.kind = 'goal' and v.workspace_id = l.workspace_id and v.automation_id = l.automation_id and v.version = l.version
  and v.definition::jsonb -> 'goal' -> 'exit' = 'true';
