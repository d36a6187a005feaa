import { send } from '../support/http-client.ts'
import type { Said } from './doer.ts'
import type { CrowdWorld } from './world.ts'

/** Acts that may find all as they would have it, and of which nothing is noted then. */
const MAY_CHANGE_NOTHING =
  /^(PATCH|PUT) |^POST \/approvals$|^POST \/templates\/N\/versions\/N\/restore$|^DELETE \/tokens\/N$|^(POST|DELETE) \/contacts\/N\/tags|^POST \/(suppressions|unsubscribes|events(\/batch)?|contacts\/N\/confirmation-request)$|^POST \/(e|collect|hooks)\/|^GET /

/** What is noted of an act beside its own entry. */
const BESIDE = new Set([
  ...[
    'approval.approve',
    'broadcast.send',
    'broadcast.schedule',
    'automation.activate',
    'integration.create',
    'integration.update',
    'email.send',
    'membership.create',
    'invitation.accept',
  ],
  'tag.create',
  'contact.tag',
  'contact.import',
  'consent.record',
])

/** Faults of the audit log: each accepted act has one entry of its own, whoever asked for it twice; what was refused has none. */
export async function judgeAudit({ instance }: CrowdWorld, said: readonly Said[]): Promise<string[]> {
  const faults: string[] = []
  const rows = await instance.sql<{ request_id: string; actions: string[] }>(
    'select request_id, array_agg(action order by id) as actions from audit_entries where request_id is not null group by 1',
  )
  const entries = new Map(rows.map((row) => [row.request_id, row.actions]))
  // A tool does more than one thing, and its requests are its own.
  const acts = said.filter(({ path }) => path !== '/mcp')
  for (const asked of Object.values(Object.groupBy(acts, (one) => one.key ?? one.requestId))) {
    const { method, path } = asked![0]!
    const what = `${method} ${path.replace(/^\/(api|site\/workspaces\/default)/, '').replace(/\d+/g, 'N')}`
    const actions = asked!.flatMap(({ requestId }) => entries.get(requestId) ?? [])
    const isAccepted = asked!.some(({ status }) => status < 400)
    const own = actions.length - actions.slice(1).filter((action) => BESIDE.has(action)).length
    const told = `${what} ${asked!.map(({ status, requestId }) => `${requestId}: ${status}`)}: ${actions.join(', ') || 'nothing'} noted`
    // Nobody knows which attempt it was that did it.
    const wasRepeated = asked!.some(({ key, cuts }) => key === undefined && cuts > 0)
    if (!isAccepted && !wasRepeated && actions.length > 0) faults.push(`refused and noted: ${told}`)
    if (isAccepted && own === 0 && !MAY_CHANGE_NOTHING.test(what)) faults.push(`not noted: ${told}`)
    if (
      own > 1 &&
      !wasRepeated &&
      !actions.every((action, n) => n === 0 || BESIDE.has(action) || actions[0] === 'tag.create')
    )
      faults.push(`noted more than once: ${told}`)
  }
  const { json } = await send('GET', `${instance.baseUrl}/api/audit-entries/verify`, { token: instance.token })
  if (!json.intact) faults.push(`the chain of the audit log does not hold: ${JSON.stringify(json)}`)
  return faults
}
