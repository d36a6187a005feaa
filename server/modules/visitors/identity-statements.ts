import type pg from 'pg'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { textArray } from '../../platform/db/arrays.ts'
import { deleteInSteps } from '../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES, type Transaction } from '../../platform/db/transaction.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
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

/** The statement of a visitor, which is no more then, and when it was made (RFC 3339). */
export async function takeStatement(
  tx: Transaction,
  { secrets }: Deps,
  { workspaceId, visitorId }: { workspaceId: string; visitorId: string },
): Promise<(ClaimedStatement & { statedAt: string }) | undefined> {
  const { rows } = await tx.query<{ content: string; statedAt: string }>({
    name: 'take_identity_statement',
    text: `delete from identity_statements where workspace_id = $1 and visitor_id = $2
      returning content, stated_at as "statedAt"`,
    values: [workspaceId, visitorId],
  })
  if (rows[0] === undefined) return undefined
  const { content, statedAt } = rows[0]
  const statement = parseExactJson(secrets.open(content, place(workspaceId, visitorId))) as ClaimedStatement
  return { ...statement, statedAt }
}

/** Drops what pages have said of visitors. The caller has their turns. */
export async function dropStatements(
  tx: Transaction,
  workspaceId: string,
  visitorIds: readonly string[],
): Promise<void> {
  await tx.query({
    name: 'drop_identity_statements',
    text: 'delete from identity_statements where workspace_id = $1 and visitor_id = any ($2::text[])',
    values: [workspaceId, textArray(visitorIds)],
  })
}

const KEPT_HOURS = 24

/** Forgets those that no job has taken in a day; returns how many. The table has only what waits: it is read whole. */
export function forgetOldStatements(pool: pg.Pool, isOver?: () => boolean): Promise<number> {
  return deleteInSteps(pool, ALL_WORKSPACES, {
    from: 'identity_statements',
    where: 'stated_at < now() - make_interval(hours => $1)',
    values: [KEPT_HOURS],
    ...(isOver ? { isOver } : {}),
  })
}

const place = (workspaceId: string, visitorId: string) => `${workspaceId}/identity_statements/${visitorId}/content`
