import type { DomainEventType } from '../../catalogue/domain-events.ts'

/** An event for one endpoint alone. */
const CALLED: DomainEventType = 'automation.called'

/** The data of a delivery body: the emitter's own for system events, the recorded event's fields for a caller's. */
const DATA = `case when o.type <> 'event.recorded' then o.data::text else
  '{"workspaceId":' || o.workspace_id
  || coalesce(',"contactId":' || o.contact_id, '')
  || coalesce(',"subjectId":' || to_json(o.subject_id)::text, '')
  || ',"action":' || to_json(o.name)::text
  || coalesce(',"email":' || to_json(o.email)::text, '')
  || coalesce(',"phone":' || to_json(o.phone)::text, '')
  || coalesce(',"visitorId":' || to_json(o.visitor_id)::text, '')
  || coalesce(',"source":"' || o.source || '"', '')
  || coalesce(',"proof":"' || o.proof || '"', '')
  || ',"properties":' || o.data::text
  || ',"occurredAt":"' || utc_text(o.occurred_at) || '"}' end`

/** The delivery body (interface specification, Delivery body): ids as JSON integers of any size, no contactId if none. */
export const BODY = `'{"id":"' || o.position || '","type":' || to_json(o.name)::text
  || ',"occurredAt":"' || utc_text(o.occurred_at) || '","workspaceId":' || o.workspace_id
  || ',"subject":' || to_json(o.subject)::text
  || coalesce(',"contactId":' || o.contact_id, '')
  || ',"data":' || ${DATA} || '}'`

/** SQL: whether an endpoint is to get an event: by the names it wants, and a call of an automation if it is the one that is called. */
export const wants = (endpoint: string, event: string) => `case when ${event}.type = '${CALLED}'
  then ${endpoint}.id = (${event}.data ->> 'endpointId')::bigint
  else ${endpoint}.event_types = '{}' or ${event}.name = any (${endpoint}.event_types) end`

/**
 * SQL, behind `with` and perhaps other tables: makes a delivery of each of these rows of the log (as `o`) for each endpoint
 * that wants it, and says for which endpoints. `offset 0`: endpoints are looked up for each event, never the log for each
 * endpoint.
 */
export const MAKE_DELIVERIES = (rows: string) => `wanted as materialized (
    select o.workspace_id, o.position as event_id, o.name, e.id as endpoint_id, nextval('delivery_id') as delivery_id,
      ${BODY} as body
    from ${rows} o
    cross join lateral (
      select id from webhook_endpoints
      where workspace_id = o.workspace_id and ${wants('webhook_endpoints', 'o')}
        and (enabled or disabled_reason is null)
      offset 0) e
  ), logged as (
    insert into deliveries (workspace_id, id, endpoint_id, event_id, event_type, body)
    select workspace_id, delivery_id, endpoint_id, event_id, name, body from wanted
  ), queued as (
    insert into delivery_queue (workspace_id, endpoint_id, delivery_id, delivery_created_at)
    select workspace_id, endpoint_id, delivery_id, now() from wanted
  )
  select distinct workspace_id as "workspaceId", endpoint_id as "endpointId" from wanted`
