import { eventually } from '../support/eventually.ts'
import type { Doer } from './doer.ts'

const PAGE = 'pageSize=1000'
/** How often it is told what keeps it. */
const TELL_EVERY_MS = 10_000
const QUIET_WITHIN_MS = 120_000

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
  union all select 'moves of automations', count(*) from automation_moves where state = 'running'
  union all select 'broadcasts', count(*) from broadcasts where status in ('sending', 'scheduled', 'paused')
  union all select 'job ' || (data ->> 'kind') || ' ' || state, count(*) from jobs.job
    where state in ('created', 'active', 'retry') and data ->> 'payload' <> '{}' and (state <> 'created' or start_after < now())
    group by data ->> 'kind', state`

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
  for (const { id, status } of await items(`/automations?${PAGE}`))
    if (status === 'paused') await post(`/automations/${id}/resume`, { late: 'now' })
  for (const { id, status } of await items(`/broadcasts?${PAGE}`))
    if (status === 'paused') await post(`/broadcasts/${id}/resume`)
  const { sql } = who.world.instance
  const left = async () => (await sql<{ what: string; left_over: number }>(WORK)).filter((one) => one.left_over > 0)
  let before = ''
  let tellAt = performance.now() + TELL_EVERY_MS
  await eventually(
    'all work is done',
    async () => {
      // Work that is done may have made other work a moment before it was looked for: nothing has come in between two looks.
      const [last] = await sql<{ now: string }>('select max(position)::text as now from outbox')
      const work = await left()
      const isQuiet = work.length === 0 && last!.now === before
      if (performance.now() > tellAt) {
        tellAt += TELL_EVERY_MS
        tell(`still to be done: ${JSON.stringify(work)}`)
      }
      before = last!.now
      return isQuiet
    },
    QUIET_WITHIN_MS,
  ).catch(async (error: unknown) => {
    tell(`left: ${JSON.stringify(await left())}`)
    throw error
  })
}
