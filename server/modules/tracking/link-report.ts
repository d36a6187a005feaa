import type { Transaction } from '../../platform/db/transaction.ts'

/** Hits are requests; messages count once, however often they were opened. */
export type HitCounts = { humanHits: number; machineHits: number; humanMessages: number; machineMessages: number }

export type LinkCounts = HitCounts & {
  /** Position in the template. */
  link: number
  /** Where it led the last time: of a personal link one of many. */
  url: string
}

export type HitReport = { opens: HitCounts; clicks: HitCounts; links: LinkCounts[] }

const NONE: HitCounts = { humanHits: 0, machineHits: 0, humanMessages: 0, machineMessages: 0 }

type TotalRow = {
  [C in keyof HitCounts]: string
} & { kind: 'open' | 'click'; link: number; url: string | null }

/** Sums of a broadcast's opens and clicks, link by link in the order of the template. */
export async function readHitReport(tx: Transaction, workspaceId: string, broadcastId: string): Promise<HitReport> {
  const { rows } = await tx.query<TotalRow>({
    name: 'hit_report',
    text: `select kind, link, url, human_hits as "humanHits", machine_hits as "machineHits",
        human_messages as "humanMessages", machine_messages as "machineMessages"
      from hit_totals where workspace_id = $1 and broadcast_id = $2 order by kind, link`,
    values: [workspaceId, broadcastId],
  })
  const allOf = (kind: 'open' | 'click') => {
    const row = rows.find((each) => each.kind === kind && each.link < 0)
    return row ? countsOf(row) : NONE
  }
  const links = rows.filter(({ link }) => link >= 0)
  return {
    opens: allOf('open'),
    clicks: allOf('click'),
    links: links.map((row) => ({ link: row.link, url: row.url ?? '', ...countsOf(row) })),
  }
}

function countsOf(row: TotalRow): HitCounts {
  return {
    humanHits: Number(row.humanHits),
    machineHits: Number(row.machineHits),
    humanMessages: Number(row.humanMessages),
    machineMessages: Number(row.machineMessages),
  }
}
