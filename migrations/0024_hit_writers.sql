-- Which batch of hits each process wrote last. A process numbers its batches and writes one after the other, so a batch
-- whose commit was never answered can be written again: it counts only if its number has not been there yet.
create table hit_writers (
  writer uuid primary key,
  last_batch bigint not null,
  written_at timestamptz not null default now()
);
