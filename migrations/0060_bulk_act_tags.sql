-- An act is about a tag, whatever that is called by then: null in rows of before, which know its name alone. No foreign key:
-- the act outlives the tag.
alter table bulk_acts add column tag_id bigint, drop constraint bulk_acts_undoes_key;
-- An act is taken back once; a taking back that was canceled or failed leaves room for another.
create unique index bulk_acts_undoes_key on bulk_acts (workspace_id, undoes)
  where undoes is not null and state in ('running', 'done');
