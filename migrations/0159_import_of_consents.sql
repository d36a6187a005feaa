-- keeps 0148
-- Which import told of it; stays when the import is deleted.
alter table consent_changes add column import_id bigint;
