import type pg from 'pg'
import { notFound } from '../../../catalogue/problems.ts'
import type { Statement } from '../../../platform/db/statement.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { loadDefinitions } from '../definition/load-definitions.ts'
import { type LastSpan, SINCE } from './last-spans.ts'
import { type MailsOfNodes, mailsOfNodes } from './mails-of-nodes.ts'
import { MOVED_OUT, movedInto } from './moved-into.ts'
import type { Counts } from './schemas.ts'
import { troublesOf } from './troubles.ts'

/** Of all time, and of the time that is asked for. */
type Sum = { version: number; node: string; kind: string; total: string; counted: string }
type Key = { workspaceId: string; id: string }

/**
 * Where people are and went, node by node and version by version, as the sums have it at one moment. With `last` those are counted
 * who came, went on or ended within it; who is here is always as of now. Throws 404.
 */
export async function readCounts(sql: pg.Pool, { workspaceId, id }: Key, last?: LastSpan): Promise<Counts> {
  return inTransaction(sql, workspaceId, async (tx) => {
    const { rows: found } = await tx.query<{
      halted: string[]
      parked: { node: string; version: number; n: number }[]
    }>({
      name: 'automation_to_count',
      text: `select halted_nodes as halted, (
          select coalesce(json_agg(p), '[]') from (
            select version, node, count(*) as n from runs
            where workspace_id = $1 and automation_id = $2 and state = 'parked' group by 1, 2) p) as parked
        from automations where workspace_id = $1 and id = $2 and deleted_at is null`,
      values: [workspaceId, id],
    })
    if (!found[0]) throw notFound()
    const since = last === undefined ? null : await sinceOf(tx, last)
    const { rows } = await tx.query(
      since === null ? totalsStatement({ workspaceId, id }) : withinStatement({ workspaceId, id }, since),
    )
    const mails = await mailsOfNodes(tx, { workspaceId, id }, since)
    const parked = typeof found[0].parked === 'string' ? JSON.parse(found[0].parked) : found[0].parked
    const troubles = await troublesOf(tx, { workspaceId, id })
    const moved = await movedOf(tx, { workspaceId, id }, rows)
    return { since, ...countsOf(rows, { parked, halted: new Set(found[0].halted), moved, mails }), troubles }
  })
}

type MovedInto = ReturnType<typeof movedInto>

/** Definitions are read only where somebody was taken along: of most automations nobody ever was. */
async function movedOf(tx: Transaction, { workspaceId, id }: Key, sums: readonly Sum[]): Promise<MovedInto> {
  if (!sums.some(({ kind }) => kind === MOVED_OUT)) return () => 0
  const versions = sums.map(({ version }) => version)
  const definitions = await loadDefinitions(tx, { workspaceId, automationId: id }, versions)
  return movedInto(
    sums.map((sum) => ({ ...sum, n: Number(sum.counted) })),
    definitions,
  )
}

async function sinceOf(tx: Transaction, last: LastSpan): Promise<string> {
  const { rows } = await tx.query<{ since: string }>({
    name: `counts_since_${last}`,
    text: `select ${SINCE[last]} as since`,
  })
  return rows[0]!.since
}

function totalsStatement({ workspaceId, id }: Key): Statement<Sum> {
  return {
    name: 'node_totals_of_automation',
    text: `select version, node, kind, sum(total) as total, sum(total) as counted from node_totals
      where workspace_id = $1 and automation_id = $2 group by 1, 2, 3 order by 1, 2, 3`,
    values: [workspaceId, id],
  }
}

/** Both sums of one moment. A month is some dozens of rows a node, way and version. */
function withinStatement({ workspaceId, id }: Key, since: string): Statement<Sum> {
  return {
    name: 'node_totals_within',
    text: `select version, node, kind, t.total, coalesce(h.total, 0) as counted from (
        select version, node, kind, sum(total) as total from node_totals
        where workspace_id = $1 and automation_id = $2 group by 1, 2, 3) t
      left join (
        select version, node, kind, sum(total) as total from node_hours
        where workspace_id = $1 and automation_id = $2 and hour >= $3 group by 1, 2, 3) h using (version, node, kind)
      order by 1, 2, 3`,
    values: [workspaceId, id, since],
  }
}

type Beside = {
  parked: readonly { node: string; version: number; n: number }[]
  halted: ReadonlySet<string>
  moved: MovedInto
  mails: MailsOfNodes
}

function countsOf(sums: readonly Sum[], { parked, halted, moved, mails }: Beside): Omit<Counts, 'troubles' | 'since'> {
  const number = ({ counted }: Sum) => Number(counted)
  const refused = sums.filter(({ node, kind }) => node === '' && kind.startsWith('refused:'))
  const entries = sums.filter(({ node, kind }) => node === '' && !kind.startsWith('refused:'))
  const heldOut = entries.filter(({ kind }) => kind.endsWith(':held_out')).reduce((sum, one) => sum + number(one), 0)
  const entered = entries.reduce((sum, one) => sum + number(one), 0)
  const groups = Map.groupBy(
    sums.filter(({ node }) => node !== ''),
    ({ version, node }) => `${version}/${node}`,
  )
  const nodes = [...groups.values()].map((of) => {
    const { version, node } = of[0]!
    const sum = (prefix: string) =>
      of.filter(({ kind }) => kind.startsWith(prefix)).reduce((total, one) => total + number(one), 0)
    const ways = of
      .filter(({ kind }) => kind !== 'entered')
      .map((one) => ({ way: one.kind.replace(/^(?:left|ended):/, ''), count: number(one) }))
    const here = of.reduce((all, { kind, total }) => all + (kind === 'entered' ? Number(total) : -Number(total)), 0)
    const isParked = parked.find((one) => one.version === version && one.node === node)
    const isHalted = halted.has(node)
    return {
      node,
      version,
      entered: sum('entered'),
      here,
      movedIn: moved(version, node),
      left: sum('left:'),
      movedOut: sum(MOVED_OUT),
      ended: sum('ended:'),
      parked: Number(isParked?.n ?? 0),
      mails: mails.get(`${version}/${node}`) ?? null,
      isHalted,
      ways,
    }
  })
  const inside = nodes.reduce((sum, { here }) => sum + here, 0)
  return {
    ...{ entered, heldOut, inside },
    refused: refused.map((one) => ({ reason: one.kind.slice('refused:'.length), count: number(one) })),
    nodes,
  }
}
