import type pg from 'pg'
import { notFound, unprocessable, wrongStatus } from '../../../catalogue/problems.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { DAY_MS } from '../../../platform/durations.ts'
import { requireMatch } from '../../../platform/etag.ts'
import { parseExactJson } from '../../../platform/json/exact-json.ts'
import { invalid } from '../../../platform/problem.ts'
import { type Diff, recordAudit } from '../../audit/record-audit.ts'
import type { Caller } from '../../auth/caller.ts'
import { openStream, setStreamState } from '../../sending/streams.ts'
import { RUN_SLOTS } from '../entry/slots.ts'
import { wakeRuns } from '../run-lanes.ts'
import { type Passing, requireScenarios } from '../scenarios/require-scenarios.ts'
import type { ScenarioDeps } from '../scenarios/run-scenarios.ts'
import type { Automation, AutomationStatus, ResumeBody } from '../schemas.ts'
import { automationOf } from './automation-of.ts'
import { checkReferences } from './check-references.ts'
import { WAIT_MS_MAX } from './limits.ts'
import { recordAutomation } from './manage-automations.ts'
import { publishVersion } from './publish-version.ts'
import {
  type AutomationKey,
  type AutomationRow,
  automationForChange,
  deleteAutomationRow,
  type Switches,
  setSwitches,
} from './queries.ts'
import { readDefinition } from './read-definition.ts'
import { readSpan } from './spans.ts'
import { dropListens } from './write-listens.ts'

type Deps = { sql: pg.Pool }

/** Publishes the draft, if there is one and its scenarios hold, and opens the entry. Throws 403, 404, 409, 412, 422 when the draft holds no longer. */
export async function activateAutomation(
  deps: ScenarioDeps,
  caller: Caller,
  { id, ifMatch, despiteScenarios }: Passing & { ifMatch?: string | undefined },
): Promise<Automation> {
  const { requireSame, diff } = await requireScenarios(deps, caller, { id, despiteScenarios })
  return steer(
    deps,
    caller,
    { id, ifMatch, act: 'activate', from: ['draft', 'closed', 'active', 'paused'], diff },
    async (tx, key, row) => {
      requireSame(row)
      const publishedVersion = await publishDraft(tx, key, row)
      return { entryOpen: true, publishedVersion }
    },
  )
}

/** Makes the draft the version in force, where it is not; answers its number. Throws 422 when it holds no longer. */
export async function publishDraft(tx: Transaction, key: AutomationKey, row: AutomationRow): Promise<number> {
  if (!row.draftChanged && row.publishedVersion !== null) return row.publishedVersion
  const { definition } = readDefinition(parseExactJson(row.draft))
  const { faults } = await checkReferences(tx, key.workspaceId, definition)
  if (faults.length > 0) throw unprocessable(faults)
  await openStream(tx, key.workspaceId, { kind: 'automation', id: key.id })
  return publishVersion(tx, key, row)
}

/** Closes the entry; those inside go on. Throws 404, 409. */
export async function deactivateAutomation(deps: Deps, caller: Caller, id: string): Promise<Automation> {
  return steer(deps, caller, { id, act: 'deactivate', from: ['active', 'paused', 'closed'] }, async () => ({
    entryOpen: false,
  }))
}

/** Nobody goes on and no mail goes out, from the commit on; what happens meanwhile is noted. Throws 404, 409. */
export async function pauseAutomation(deps: Deps, caller: Caller, id: string): Promise<Automation> {
  return steer(deps, caller, { id, act: 'pause', from: ['active', 'closed'] }, async (tx, key) => {
    await setMail(tx, key, 'paused')
    return { paused: true, pausedBy: caller.actor.name }
  })
}

/**
 * Lets those inside go on: `shift` puts every timer off by as long as it was paused, `now` does what is due at once, `drop` as
 * well, without mail that is overdue by more than `dropAfter`. Throws 400, 404, 409.
 */
export async function resumeAutomation(
  deps: Deps,
  caller: Caller,
  { id, late = 'shift', dropAfter }: { id: string } & ResumeBody,
): Promise<Automation> {
  const dropAfterMs = readDropAfter(late, dropAfter)
  return steer(deps, caller, { id, act: 'resume', from: ['paused'] }, async (tx, key) => {
    if (late === 'shift') await putTimersOff(tx, key)
    await setMail(tx, key, 'open')
    return { paused: false, putOff: late === 'shift', ...(dropAfterMs === undefined ? {} : { dropAfterMs }) }
  })
}

/** How late a mail may be at the most, in milliseconds; undefined where none is dropped. */
function readDropAfter(late: ResumeBody['late'], dropAfter: string | undefined): number | undefined {
  const pointer = '/dropAfter'
  if (late !== 'drop') {
    if (dropAfter !== undefined) throw invalid([{ pointer, detail: 'stands beside "late": "drop" only' }])
    return undefined
  }
  const span = dropAfter === undefined ? undefined : readSpan(dropAfter)
  if (!span || span.months > 0)
    throw invalid([{ pointer, detail: 'must be a duration of ISO 8601, such as PT2H or P1D' }])
  const ms = span.days * DAY_MS + span.ms
  if (ms > WAIT_MS_MAX) throw invalid([{ pointer, detail: 'must be at most 400 days' }])
  return ms
}

/** Ends it for good: everybody inside leaves, queued mail is taken back. Throws 404, 409. */
export async function stopAutomation(deps: Deps, caller: Caller, id: string): Promise<Automation> {
  return steer(deps, caller, { id, act: 'stop', from: ['active', 'closed', 'paused'] }, async (tx, key) => {
    await setMail(tx, key, 'canceled')
    await dropListens(tx, key)
    return { entryOpen: false, paused: false, stopped: true }
  })
}

/**
 * Deletes an automation. Of one that was in force everybody inside leaves first; what they did stays as long as other
 * traces. Throws 404, 412.
 */
export async function deleteAutomation(
  deps: Deps,
  caller: Caller,
  { id, ifMatch }: { id: string; ifMatch?: string | undefined },
): Promise<void> {
  const key = { workspaceId: caller.workspaceId, id }
  await inTransaction(deps.sql, key.workspaceId, async (tx) => {
    const before = await automationForChange(tx, key)
    if (!before) throw notFound()
    requireMatch(ifMatch, automationOf(before))
    if (before.publishedVersion === null) await deleteAutomationRow(tx, key)
    else {
      await setMail(tx, key, 'canceled')
      await dropListens(tx, key)
      await setSwitches(tx, key, { entryOpen: false, paused: false, stopped: true, deleted: true })
      await wakeRuns(tx, lanesOf(key))
    }
    await recordAutomation(tx, caller, { verb: 'delete', before })
  })
}

const EITHER = new Intl.ListFormat('en', { type: 'disjunction' })

/** `diff`: more than how it stands, for the audit entry. */
type Act = { id: string; ifMatch?: string | undefined; act: string; from: readonly AutomationStatus[]; diff?: Diff }
type Change = (tx: Transaction, key: AutomationKey, row: AutomationRow) => Promise<Switches>

/** Changes how an automation stands while no turn of it runs. */
export async function steer(
  deps: Deps,
  caller: Caller,
  { id, ifMatch, act, from, diff: more = {} }: Act,
  change: Change,
): Promise<Automation> {
  const { workspaceId } = caller
  const key = { workspaceId, id }
  const row = await inTransaction(deps.sql, workspaceId, async (tx) => {
    const before = await automationForChange(tx, key)
    if (!before) throw notFound()
    requireMatch(ifMatch, automationOf(before))
    if (!from.includes(before.status))
      throw wrongStatus(`It is ${before.status}; that is for one that is ${EITHER.format(from)}.`)
    const after = await setSwitches(tx, key, await change(tx, key, before))
    const diff = {
      status: { from: before.status, to: after.status },
      publishedVersion: { from: before.publishedVersion, to: after.publishedVersion },
      ...more,
    }
    const target = { type: 'automation', id, name: after.name }
    await recordAudit(tx, caller, { action: `automation.${act}`, target, diff })
    if (after.publishedVersion !== null) await wakeRuns(tx, lanesOf(key))
    return after
  })
  return automationOf(row)
}

const lanesOf = ({ workspaceId, id }: AutomationKey) =>
  Array.from({ length: RUN_SLOTS }, (_, slot) => ({ workspaceId, automationId: id, slot }))

async function setMail(tx: Transaction, { workspaceId, id }: AutomationKey, state: 'open' | 'paused' | 'canceled') {
  await setStreamState(tx, { ...(await openStream(tx, workspaceId, { kind: 'automation', id })), state })
}

/** Timers that were to come when it was paused come later by as long; runs heed it when theirs ends (run/put-off.ts). */
async function putTimersOff(tx: Transaction, { workspaceId, id }: AutomationKey): Promise<void> {
  await tx.query({
    name: 'put_run_timers_off',
    text: `with pause as (
        update automations set pauses = pauses + 1 where workspace_id = $1 and id = $2 returning pauses, paused_at
      )
      insert into automation_pauses (workspace_id, automation_id, number, paused_at, took)
      select $1, $2, pauses, paused_at, postroom_clock() - paused_at from pause`,
    values: [workspaceId, id],
  })
}
