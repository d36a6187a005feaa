import assert from 'node:assert/strict'
import { eventually } from '../support/eventually.ts'
import type { Doer } from './doer.ts'

const PAGE = 'pageSize=1000'
/** How often it is told what keeps it. */
const TELL_EVERY_MS = 10_000
/** Work of which nothing is done for so long has come to a stand. */
const STANDS_AFTER_MS = 120_000
const HURRY_EVERY_MS = 1_000
/** However slow the machine. */
const QUIET_WITHIN_MS = 3_600_000

/** Rows that stand for work to be done, by what they are. */
const WORK = `select 'log is read by all' as what, count(*)::int as left_over from outbox_cursors c
    where exists (select from outbox where (tx, position) > (c.tx, c.position))
  union all select 'delivery_queue', count(*) from delivery_queue
  union all select 'message_queue', count(*) from message_queue
  union all select 'run_queue', count(*) from run_queue
  union all select 'runs', count(*) from runs
  union all select 'comers', count(*) from automation_comers
  union all select 'erasures', count(*) from erasures where state <> 'done'
  union all select 'merges', count(*) from contact_merges where state <> 'done'
  union all select 'bulk acts', count(*) from bulk_acts where state = 'running'
  union all select 'imports', count(*) from imports where state in ('running', 'uploaded')
  union all select 'exports', count(*) from exports where state = 'running'
  union all select 'backfills', count(*) from automation_backfills where state = 'running'
  union all select 'simulations', count(*) from automation_simulations where state = 'running'
  union all select 'moves of automations', count(*) from automation_moves where state = 'running'
  union all select 'broadcasts', count(*) from broadcasts where status in ('sending', 'scheduled', 'paused')
  union all select 'job ' || (data ->> 'kind') || ' ' || state, count(*) from jobs.job
    where state in ('created', 'active', 'retry') and data ->> 'payload' <> '{}' and (state <> 'created' or start_after < now())
    group by data ->> 'kind', state`

/** What is tried again has its time now, and so have the jobs that would wake up then. */
const HURRY = [
  `update message_queue set due_at = now() where due_at > now() and turn is null`,
  `update delivery_queue set due_at = now() where due_at > now() and turn is null`,
  `update jobs.job_common set start_after = now(), created_on = now() where state = 'created' and start_after > now()
     and data ->> 'kind' in ('send_messages', 'deliver_webhook', 'place_backfill')`,
]

/** Ends what was left hanging, and waits until all work is done. */
export async function settle(who: Doer, tell: (line: string) => void): Promise<void> {
  const items = async (path: string) =>
    ((await who.call('GET', path, undefined, { door: 'api' })).json?.items ?? []) as {
      id: string
      status: string
      state: string
      enabled: boolean
    }[]
  const post = (path: string, json?: object) => who.call('POST', path, json, { door: 'api' })
  for (const { id, enabled } of await items(`/webhooks?${PAGE}`))
    if (!enabled) await who.call('PATCH', `/webhooks/${id}`, { enabled: true })
  for (const { id, state } of await items(`/contacts/imports?${PAGE}`))
    if (state === 'uploaded') await post(`/contacts/imports/${id}/cancel`)
  await who.call('PATCH', `/integrations/${who.world.integrationId}`, { isDefault: true })
  for (const { id, status } of await items(`/automations?${PAGE}`))
    if (status === 'paused') await post(`/automations/${id}/resume`, { late: 'now' })
  for (const { id, status } of await items(`/broadcasts?${PAGE}`))
    if (status === 'paused') await post(`/broadcasts/${id}/resume`)
  const { sql } = who.world.instance
  // Also of a domain whose maker was never answered.
  await sql('update sending_domain_keys set verified_at = now() where verified_at is null')
  const leftOver = async () => (await sql<{ what: string; left_over: number }>(WORK)).filter((one) => one.left_over > 0)
  let before = { last: '', work: '', at: performance.now() }
  let tellAt = performance.now() + TELL_EVERY_MS
  let hurryAt = 0
  await eventually(
    'all work is done',
    async () => {
      // Work that is done may have made other work a moment before it was looked for: nothing has come in between two looks.
      const [{ last } = { last: '' }] = await sql<{ last: string }>('select max(position)::text as last from outbox')
      const left = await leftOver()
      const work = JSON.stringify(left)
      const isQuiet = left.length === 0 && last === before.last
      const now = performance.now()
      if (now > tellAt) {
        tellAt += TELL_EVERY_MS
        tell(`still to be done: ${work}`)
      }
      if (now > hurryAt) {
        hurryAt = now + HURRY_EVERY_MS
        who.world.hurriedAt = Math.min(who.world.hurriedAt, now)
        for (const statement of HURRY) await sql(statement)
        who.world.sink.hangUp()
      }
      if (last !== before.last || work !== before.work) before = { last, work, at: now }
      else if (!isQuiet) assert.ok(now - before.at < STANDS_AFTER_MS, `nothing is done any more: ${work}`)
      return isQuiet
    },
    QUIET_WITHIN_MS,
  )
}
