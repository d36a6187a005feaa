-- keeps 0120
-- Variables of a run by name: values of JSON, no lists and no objects. Null: none. A version before this one keeps them as they are.
alter table runs add column variables jsonb check (octet_length(variables::text) <= 8192);
