import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { Aliases } from '../contacts/aliases.ts'

/** Facts that a page has claimed of whom a visitor is. */
export type ClaimedStatement = { aliases: Aliases; traits: Record<string, unknown> }

type Deps = { secrets: SecretBox }

/** Keeps what a page has said of a visitor, sealed, until `identify_visitor` takes it; what it has said before is over. */
export async function keepStatement(
  tx: Transaction,
  { secrets }: Deps,
  { workspaceId, visitorId, statement }: { workspaceId: string; visitorId: string; statement: ClaimedStatement },
): Promise<void> {
  await tx.query({
    name: 'keep_identity_statement',
    text: `insert into identity_statements (workspace_id, visitor_id, content) values ($1, $2, $3)
      on conflict (workspace_id, visitor_id) do update set content = excluded.content, stated_at = now()`,
    values: [workspaceId, visitorId, secrets.seal(JSON.stringify(statement), place(workspaceId, visitorId))],
  })
}

/** The statement of a visitor, which is no more then. */
export async function takeStatement(
  tx: Transaction,
  { secrets }: Deps,
  { workspaceId, visitorId }: { workspaceId: string; visitorId: string },
): Promise<ClaimedStatement | undefined> {
  const { rows } = await tx.query<{ content: string }>({
    name: 'take_identity_statement',
    text: 'delete from identity_statements where workspace_id = $1 and visitor_id = $2 returning content',
    values: [workspaceId, visitorId],
  })
  return rows[0] && JSON.parse(secrets.open(rows[0].content, place(workspaceId, visitorId)))
}

const place = (workspaceId: string, visitorId: string) => `${workspaceId}/identity_statements/${visitorId}/content`
