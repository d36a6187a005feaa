-- keeps 0060
-- Rows that found their contact as it is; of imports of before they count as updated.
alter table imports add column rows_unchanged bigint not null default 0;
