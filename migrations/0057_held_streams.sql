-- Streams whose mail is held, for whoever runs the installation: a few of all there ever were.

create index send_streams_by_hold on send_streams (hold_reason) where hold_reason is not null;
