-- keeps 0068
alter table events
  add column visitor_id text,
  add column source text,
  add column proof text,
  add constraint events_visitor_id_check check (length(visitor_id) between 1 and 64) not valid,
  add constraint events_source_check check (source in ('api', 'collect', 'form')) not valid,
  add constraint events_proof_check check (proof in ('none', 'claimed', 'link', 'confirmed', 'signed')) not valid;
