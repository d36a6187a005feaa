-- Findings of the last check about the server that mail is handed to, and about the domain of return paths; written and read
-- as a whole (check-domain.ts).

alter table sending_domains add column relay_check jsonb, add column return_path_check jsonb;
