import type { Transaction } from '../../../platform/db/transaction.ts'
import type { Counts } from './schemas.ts'

type Mails = NonNullable<Counts['nodes'][number]['mails']>

/** By `version/node`. */
export type MailsOfNodes = ReadonlyMap<string, Mails>

/**
 * Fates of the mail of each node, of all time or since a moment; of those alone that have sent any. Kept with the ledger's rows
 * (migration 0151): a month is some dozens of rows a node, kind and version.
 */
export async function mailsOfNodes(
  tx: Transaction,
  { workspaceId, id }: { workspaceId: string; id: string },
  since: string | null,
): Promise<MailsOfNodes> {
  const { rows } = await tx.query<{ version: number; node: string; kind: keyof Mails; total: string }>({
    name: 'mails_of_nodes',
    text: `select version, node, kind, coalesce(sum(total) filter (where hour >= coalesce($3::timestamptz, '-infinity')), 0) as total
      from node_mails where workspace_id = $1 and automation_id = $2 group by 1, 2, 3`,
    values: [workspaceId, id, since],
  })
  const mails = new Map<string, Mails>()
  for (const { version, node, kind, total } of rows) {
    const key = `${version}/${node}`
    const of = mails.get(key) ?? { ...NONE }
    mails.set(key, { ...of, [kind]: Number(total) })
  }
  return mails
}

const NONE: Mails = { accepted: 0, opened: 0, clicked: 0, unsubscribed: 0, bounced: 0, complained: 0 }
