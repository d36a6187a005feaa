import type pg from 'pg'
import { deleteInSteps } from '../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES } from '../../platform/db/transaction.ts'
import { deleteForsakenAgentTokens } from '../auth/agent-tokens.ts'

/** Deletes secrets that are over, and connections that nobody came for. Used ones stay until then, to be known again. */
export async function forgetSecrets({ sql }: { sql: pg.Pool }): Promise<void> {
  await deleteInSteps(sql, ALL_WORKSPACES, { from: 'agent_secrets', where: `expires_at < now() - interval '1 hour'` })
  await deleteForsakenAgentTokens(sql)
}
