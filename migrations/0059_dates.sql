-- A day, or a birthday without its year, beside moments.
alter table custom_fields drop constraint custom_fields_type_check,
  add constraint custom_fields_type_check check (type in ('string', 'number', 'boolean', 'datetime', 'date'));
alter table custom_field_rewrites drop constraint custom_field_rewrites_type_check,
  add constraint custom_field_rewrites_type_check check (type in ('string', 'number', 'boolean', 'datetime', 'date'));
