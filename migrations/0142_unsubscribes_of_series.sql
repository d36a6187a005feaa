-- keeps 0136
-- contracts: the constraint that is replaced refused what no version before writes
-- `automations` stops the mail of all automations, but of those that the address has kept by name. Rows that are there passed a
-- narrower check.
alter table unsubscribes
  add column kept_automations bigint[] not null default '{}',
  drop constraint unsubscribes_sending_source_check,
  add constraint unsubscribes_sending_source_check check (sending_source in ('broadcasts', 'automations', 'everything')
    or sending_source ~ '^(automation|topic):[0-9]{1,19}$') not valid;
