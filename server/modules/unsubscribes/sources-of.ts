import type { Transaction } from '../../platform/db/transaction.ts'

/** Sources that an address has unsubscribed from: a handful of sources. */
export async function sourcesOf(tx: Transaction, workspaceId: string, destination: string): Promise<Set<string>> {
  const { rows } = await tx.query<{ source: string }>({
    name: 'unsubscribed_sources',
    text: 'select sending_source as source from unsubscribes where workspace_id = $1 and destination = $2',
    values: [workspaceId, destination],
  })
  return new Set(rows.map(({ source }) => source))
}

/** Sources, each one automation, that an address wants still, though it wants no automated series. */
export async function keptSourcesOf(tx: Transaction, workspaceId: string, destination: string): Promise<Set<string>> {
  const { rows } = await tx.query<{ source: string }>({
    name: 'kept_sources',
    text: `select 'automation:' || unnest(kept_automations) as source from unsubscribes
      where workspace_id = $1 and destination = $2 and sending_source = 'automations'`,
    values: [workspaceId, destination],
  })
  return new Set(rows.map(({ source }) => source))
}
