-- keeps 0068
-- New rows of the search's index wait in a list of up to 8 MB, some 8,000 contacts, instead of 512 kB. The job `tidy_search`
-- sorts them in every two seconds (contacts/tidy-search.ts); a writer does so itself only where the list is full. Each MB
-- that waits makes a search take 1 ms longer.
alter index contact_search_text set (gin_pending_list_limit = 8192);
