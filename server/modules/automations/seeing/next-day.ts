import type { Transaction } from '../../../platform/db/transaction.ts'
import { DAY_MS } from '../../../platform/durations.ts'
import { canonicalJson } from '../definition/canonical-json.ts'
import { type Definition, END, isDated, type Node } from '../definition/definition.ts'
import { leadsToMail, timerLeadsToMail } from '../definition/leads-to-mail.ts'
import type { PeopleAtNode } from '../definition/people-at-nodes.ts'
import { microsOf } from '../micros.ts'
import { firstEnd, momentsAt } from '../run/dates-of-runs.ts'
import { zoneOf } from '../run/rest.ts'
import { storedVariables } from '../run/variables.ts'

/** People at a node with what becomes of them. `to`: null where they stay, or have no place. */
export type Placed = PeopleAtNode & { fate: 'keeps' | 'moves' | 'leaves' | 'stays' | 'homeless'; to: string | null }

/** Timers that end within 24 hours, and people whom a mail awaits next then, without a publishing and with it. */
export type NextDay = {
  timersBefore: number
  timersAfter: number
  mailsBefore: number
  mailsAfter: number
  /** Reckoned from the first SAMPLE_MAX people of a node. */
  isEstimate: boolean
}

/** People of a node whose new end is worked out one by one. */
const SAMPLE_MAX = 2_000
const DAY_MICROS = BigInt(DAY_MS) * 1_000n

type Key = { workspaceId: string; id: string }
type Asked = { places: readonly Placed[]; draft: Definition; definitions: ReadonlyMap<number, Definition> }

/** The next 24 hours of everybody inside, by where they stand. */
export async function nextDayOf(
  tx: Transaction,
  key: Key,
  { places, draft, definitions }: Asked,
): Promise<Map<Placed, NextDay>> {
  const due = await dueWithinDay(tx, key)
  const days = new Map<Placed, NextDay>()
  for (const place of places) {
    const before = definitions.get(place.version)!
    const timersBefore = due.get(`${place.version}/${place.node}`) ?? 0
    const mailsBefore = timerLeadsToMail(before, place.node) ? timersBefore : 0
    const day: NextDay = {
      timersBefore,
      timersAfter: timersBefore,
      mailsBefore,
      mailsAfter: mailsBefore,
      isEstimate: false,
    }
    days.set(place, day)
    if (place.fate === 'leaves' || place.to === END) Object.assign(day, { timersAfter: 0, mailsAfter: 0 })
    else if (place.to !== null) Object.assign(day, await afterMove(tx, key, { place, before, draft, timersBefore }))
  }
  return days
}

type Moved = { place: Placed; before: Definition; draft: Definition; timersBefore: number }

async function afterMove(
  tx: Transaction,
  key: Key,
  { place, before, draft, timersBefore }: Moved,
): Promise<Partial<NextDay>> {
  const [from, to] = [before.nodes[place.node]!, draft.nodes[place.to!]!]
  if (to.type !== 'delay' && to.type !== 'wait') {
    return { timersAfter: 0, mailsAfter: leadsToMail(draft.nodes, place.to!) ? place.people : 0 }
  }
  const isMailed = timerLeadsToMail(draft, place.to!)
  if (isSameRest(from, to)) return { mailsAfter: isMailed ? timersBefore : 0 }
  const sample = await restingAt(tx, key, place)
  const people = sample.map(({ at, putOff, zone, kept, ...rest }) => ({
    ...{
      ...rest,
      variables: storedVariables(kept),
      at: microsOf(at),
      putOff: BigInt(putOff),
      zone: zoneOf(zone, draft),
    },
  }))
  const moments = await momentsAt(tx, key.workspaceId, { node: to, people })
  const within = people.filter((person) => {
    return firstEnd(person, to, moments.get(person)) <= microsOf(person.now) + DAY_MICROS
  })
  const timersAfter = sample.length === 0 ? 0 : Math.round((within.length / sample.length) * place.people)
  return { timersAfter, mailsAfter: isMailed ? timersAfter : 0, isEstimate: sample.length < place.people }
}

/** Whether two nodes hold everybody for the same time. */
function isSameRest(one: Node, other: Node): boolean {
  const restOf = (node: Node) =>
    node.type === 'delay'
      ? [node.span, node.at, node.on]
      : node.type === 'wait'
        ? [node.timeout, node.for.filter(isDated)]
        : null
  return restOf(one) !== null && one.type === other.type && canonicalJson(restOf(one)) === canonicalJson(restOf(other))
}

async function dueWithinDay(tx: Transaction, { workspaceId, id }: Key): Promise<Map<string, number>> {
  const { rows } = await tx.query<{ version: number; node: string; n: number }>({
    name: 'timers_due_within_day',
    text: `select r.version, r.node, count(*)::float8 as n from run_queue q
      join runs r on r.workspace_id = q.workspace_id and r.id = q.run_id
      where q.workspace_id = $1 and q.automation_id = $2 and q.kind = 'timer' and not q.looks
        and q.due_at <= postroom_clock() + interval '24 hours'
        and postroom_put_off(r.workspace_id, r.automation_id, r.pauses, q.due_at) <= postroom_clock() + interval '24 hours'
      group by 1, 2`,
    values: [workspaceId, id],
  })
  return new Map(rows.map(({ version, node, n }) => [`${version}/${node}`, n]))
}

type Resting = {
  at: string
  putOff: string
  zone: string | null
  contactId: string
  eventId: string | null
  kept: string | null
  now: string
}

async function restingAt(tx: Transaction, { workspaceId, id }: Key, { version, node }: Placed): Promise<Resting[]> {
  const { rows } = await tx.query<Resting>({
    name: 'resting_at_node',
    text: `select r.at, r.put_off as "putOff", r.contact_id as "contactId", r.event_id as "eventId", c.time_zone as zone,
        r.variables::text as kept, postroom_clock() as now from runs r
      left join contacts c on c.workspace_id = r.workspace_id and c.id = r.contact_id
      where r.workspace_id = $1 and r.automation_id = $2 and r.version = $3 and r.node = $4 order by r.id
      limit ${SAMPLE_MAX}`,
    values: [workspaceId, id, version, node],
  })
  return rows
}
