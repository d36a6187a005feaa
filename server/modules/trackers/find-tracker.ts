import type pg from 'pg'
import { ALL_WORKSPACES, queryInScope } from '../../platform/db/transaction.ts'
import { createFreshAnswers } from '../../platform/fresh-answers.ts'
import type { Tracker } from './schemas.ts'
import { isTrackerKey } from './tracker-key.ts'

/** A tracker as the requests under its key are judged by it. */
export type FoundTracker = Pick<
  Tracker,
  | 'id'
  | 'allowedOrigins'
  | 'consentMode'
  | 'identify'
  | 'allowedActions'
  | 'serverOnlyActions'
  | 'respectGpc'
  | 'linkIdentity'
  | 'autoMerge'
  | 'paused'
> & {
  workspaceId: string
  /** Its key, and the one before while that is good. */
  keys: readonly string[]
}

export type TrackerFinder = (key: string) => FoundTracker | undefined | Promise<FoundTracker | undefined>

/** Finds trackers by their key, or by the one before while that is good. An answer is less than a second old. */
export function createTrackerFinder(sql: pg.Pool): TrackerFinder {
  const answers = createFreshAnswers((key) => trackerByKey(sql, key))
  return (key) => answers.lookUp(key, () => isTrackerKey(key))
}

async function trackerByKey(sql: pg.Pool, key: string): Promise<FoundTracker | undefined> {
  const [found] = await queryInScope<FoundTracker>(sql, ALL_WORKSPACES, {
    name: 'tracker_by_key',
    text: `select workspace_id as "workspaceId", id, allowed_origins as "allowedOrigins", consent_mode as "consentMode",
        identify, allowed_actions as "allowedActions", server_only_actions as "serverOnlyActions",
        respect_gpc as "respectGpc", link_identity as "linkIdentity", auto_merge as "autoMerge", paused,
        array_remove(array[key, case when previous_until > now() then previous_key end], null) as keys
      from trackers where key = $1 or (previous_key = $1 and previous_until > now()) limit 1`,
    values: [key],
  })
  return found
}
