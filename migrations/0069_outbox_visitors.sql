-- keeps 0068
-- Events of browsers: which visitor they are of, how they came in, and how well it is proven who it was. Null in those of
-- servers and of the system itself. Not valid: no row of before has any, and none is read to see that.
alter table outbox
  add column visitor_id text,
  add column source text,
  add column proof text,
  add constraint outbox_visitor_id_check check (length(visitor_id) between 1 and 64) not valid,
  add constraint outbox_source_check check (source in ('api', 'collect', 'form')) not valid,
  add constraint outbox_proof_check check (proof in ('none', 'claimed', 'link', 'confirmed', 'signed')) not valid;
