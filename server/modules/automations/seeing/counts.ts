import type pg from 'pg'
import { notFound } from '../../../catalogue/problems.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import type { Counts } from './schemas.ts'
import { troublesOf } from './troubles.ts'

type Sum = { version: number; node: string; kind: string; total: string }
type Key = { workspaceId: string; id: string }

/**
 * Where people are and went, node by node and version by version, as the sums have it at one moment. Throws 404.
 */
export async function readCounts(sql: pg.Pool, { workspaceId, id }: Key): Promise<Counts> {
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
    const { rows } = await tx.query<Sum>({
      name: 'node_totals_of_automation',
      text: `select version, node, kind, sum(total) as total from node_totals
        where workspace_id = $1 and automation_id = $2 group by 1, 2, 3 order by 1, 2, 3`,
      values: [workspaceId, id],
    })
    const parked = typeof found[0].parked === 'string' ? JSON.parse(found[0].parked) : found[0].parked
    const troubles = await troublesOf(tx, { workspaceId, id })
    return { ...countsOf(rows, { parked, halted: new Set(found[0].halted) }), troubles }
  })
}

type Halting = { parked: readonly { node: string; version: number; n: number }[]; halted: ReadonlySet<string> }

function countsOf(sums: readonly Sum[], { parked, halted }: Halting): Omit<Counts, 'troubles'> {
  const number = ({ total }: Sum) => Number(total)
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
    const [came, left, ended] = [sum('entered'), sum('left:'), sum('ended:')]
    const ways = of
      .filter(({ kind }) => kind !== 'entered')
      .map((one) => ({ way: one.kind.replace(/^(?:left|ended):/, ''), count: number(one) }))
    const here = came - left - ended
    const isParked = parked.find((one) => one.version === version && one.node === node)
    const isHalted = halted.has(node)
    return { node, version, entered: came, here, left, ended, parked: Number(isParked?.n ?? 0), isHalted, ways }
  })
  const inside = nodes.reduce((sum, { here }) => sum + here, 0)
  return {
    ...{ entered, heldOut, inside },
    refused: refused.map((one) => ({ reason: one.kind.slice('refused:'.length), count: number(one) })),
    nodes,
  }
}
