-- keeps 0093
-- The list of new rows of the search's index holds 32 MB instead of 8. Batches of a thousand contacts one after the other fill 8
-- MB between two runs of `tidy_search`, and every eighth then sorted them in by itself: its p95 was above that of 512 kB.
alter index contact_search_text set (gin_pending_list_limit = 32768);
