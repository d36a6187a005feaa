import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/** The contacts of these addresses, by address. */
export async function contactsByEmails(
  tx: Transaction,
  workspaceId: string,
  emails: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await tx.query<{ id: string; email: string }>({
    name: 'contacts_by_emails',
    text: 'select id, email from contacts where workspace_id = $1 and email = any ($2::text[])',
    values: [workspaceId, textArray(emails)],
  })
  return new Map(rows.map(({ id, email }) => [email, id]))
}

/** Those of the domains that are sending domains of the workspace. */
export async function sendingDomainsAmong(
  tx: Transaction,
  workspaceId: string,
  domains: readonly string[],
): Promise<ReadonlySet<string>> {
  if (domains.length === 0) return new Set()
  const { rows } = await tx.query<{ domain: string }>({
    name: 'sending_domains_among',
    text: 'select domain from sending_domains where workspace_id = $1 and domain = any ($2::text[])',
    values: [workspaceId, textArray(domains)],
  })
  return new Set(rows.map(({ domain }) => domain))
}
