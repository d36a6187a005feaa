/**
 * Makes an automation that listens to an event, as one that was published does; its steps are none. $1 is the workspace,
 * $2 the event.
 */
export const LISTENING_AUTOMATION = `with a as (
    insert into automations (workspace_id, name, draft, published_version, entry_open)
    values ($1::bigint, $2, '{"format":1,"enter":{"on":[{"event":' || to_json($2::text) || '}]},"nodes":{},"start":"end"}', 1, true)
    returning workspace_id, id, draft
  ), v as (
    insert into automation_versions (workspace_id, automation_id, version, definition)
    select workspace_id, id, 1, draft from a
  ), l as (
    insert into automation_listens (workspace_id, name, automation_id, version, kind, way, filtered)
    select workspace_id, $2, id, 1, 'entry', 0, false from a
  )
  select id from a`
