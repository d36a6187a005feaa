import { RECORDED_EVENT } from '../../../catalogue/domain-events.ts'

/** A run of the workspace that an event of somebody's own words names as its cause. */
const isRun = (table: string) => `exists (select from ${table} r where r.workspace_id = e.workspace_id
  and r.id = (e.data #>> '{cause,runId}')::bigint and r.automation_id::text = e.data #>> '{cause,automationId}')`

/**
 * SQL: how many automations have led to each other before an event `e`, as those that they make say. A caller's event may say anything,
 * and is believed where it names a run that there is.
 */
export const DEPTH = `case when e.data #>> '{cause,depth}' ~ '^[0-9]{1,4}$'
    and case when e.type <> '${RECORDED_EVENT}' then true when e.data #>> '{cause,runId}' ~ '^[0-9]{1,18}$'
      then ${isRun('runs')} or ${isRun('ended_runs')} else false end
  then (e.data #>> '{cause,depth}')::int else 0 end`
