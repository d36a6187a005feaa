-- What is queued for an endpoint that is deleted goes after it, in steps: a million rows in the transaction that deletes it
-- took longer than a request may, and held every reader of the log (server/modules/webhooks/drop-deliveries.ts). Without a
-- lane nothing claims them, and an insert still fails without one (require_lanes).
drop trigger drop_deliveries on webhook_lanes;
drop function drop_lane_deliveries();
