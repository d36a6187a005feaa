-- keeps 0068
-- Events of browsers: which visitor they are of, how they came in, and how well it is proven who it was. Null in those of
-- servers and of the system itself.
alter table outbox
  add column visitor_id text check (length(visitor_id) between 1 and 64),
  add column source text check (source in ('api', 'collect', 'form')),
  add column proof text check (proof in ('none', 'claimed', 'link', 'confirmed', 'signed'));
