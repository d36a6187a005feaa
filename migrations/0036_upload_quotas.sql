-- How much a workspace keeps in files: uploads have a quota of files and bytes.

alter table stored_files
  add column kind text not null default 'export' check (kind in ('upload', 'export')),
  add column bytes bigint not null default 0;
update stored_files f set kind = 'upload'
where not exists (select from exports e where e.workspace_id = f.workspace_id and e.file_id = f.id);
update stored_files f set bytes = sizes.bytes
from (select workspace_id, file_id, sum(length(data)) as bytes from file_chunks group by 1, 2) sizes
where sizes.workspace_id = f.workspace_id and sizes.file_id = f.id;
create index stored_files_of_workspace on stored_files (workspace_id, kind, expires_at) include (bytes);
