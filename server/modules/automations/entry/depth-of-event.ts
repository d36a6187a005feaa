import { RECORDED_EVENT } from '../../../catalogue/domain-events.ts'

/** A run of the workspace that an event of somebody's own words names as its cause. */
const isRun = (table: string) => `exists (select from ${table} r where r.workspace_id = e.workspace_id
  and r.id = (e.data #>> '{cause,runId}')::bigint and r.automation_id::text = e.data #>> '{cause,automationId}')`

/** An event about a mail that nobody has had a hand in: it was sent or came back, or a machine has opened it. */
const NOBODY_DID = `(e.type in ('email.sent', 'email.bounced')
  or e.type in ('email.opened', 'email.clicked') and e.data ->> 'machine' = 'true')`

/**
 * SQL: how many automations have led to each other before an event `e`, as those that they make say. A caller's event may say anything,
 * and is believed where it names a run that there is. Events of a mail that nobody had a hand in are led to by its run.
 */
export const DEPTH = `case when e.data #>> '{cause,depth}' ~ '^[0-9]{1,4}$'
    and case when e.type <> '${RECORDED_EVENT}' then true when e.data #>> '{cause,runId}' ~ '^[0-9]{1,18}$'
      then ${isRun('runs')} or ${isRun('ended_runs')} else false end
  then (e.data #>> '{cause,depth}')::int
  when ${NOBODY_DID} and e.data ->> 'automationId' is not null then coalesce((select m.depth + 1 from run_messages m
    where m.workspace_id = e.workspace_id and m.message_id = (e.data ->> 'messageId')::bigint limit 1), 0)
  else 0 end`
