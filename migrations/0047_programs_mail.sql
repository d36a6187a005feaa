-- What programs say of a message for themselves, as JSON: it comes back in the events about the message, whenever they
-- happen, so that it is kept as long as the ledger has the message.
alter table messages add column metadata jsonb;

-- Further addresses in To: [{"address": …, "name": …}]. The first one is the message's own.
alter table emails add column further_to json not null default '[]';

-- A name of its own for programs, which stays when the template is renamed.
alter table templates add column key text
  check (key ~ '^[a-z0-9]([a-z0-9_.-]{0,98}[a-z0-9])?$');
alter table templates add constraint templates_workspace_id_key_key unique (workspace_id, key);

-- When a person first looked at a mail of the mailbox.
alter table caught_mails add column read_at timestamptz;
