-- Sealed with the encryption key of the first start: a process with another key finds that it cannot open it.
alter table installation add column key_check text;
