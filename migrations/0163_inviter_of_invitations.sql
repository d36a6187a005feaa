-- keeps 0160
-- Who sent it: an invitation counts while they may invite to its role. Null for one of the operator, or from before this.
alter table invitations add column inviter_id bigint;
