import { assertNever } from '../../../platform/assert-never.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { judgeSender, type SenderDeps } from '../../sending/judge-sender.ts'
import { UNNAMED } from '../../workspaces/unnamed.ts'
import type { BroadcastContent } from '../queries.ts'
import type { Check } from './preflight-schemas.ts'

type Sender = Pick<BroadcastContent, 'integrationId' | 'fromEmail'>

/** Faults of the way a broadcast leaves: nothing to send it through, or a domain that nobody can verify it by. */
export async function checkSender(
  tx: Transaction,
  deps: SenderDeps,
  { workspaceId, integrationId, fromEmail }: Sender & { workspaceId: string },
): Promise<Check[]> {
  const error = { severity: 'error', line: null } as const
  const fault = await judgeSender(tx, deps, { workspaceId, integrationId, fromEmail })
  switch (fault?.reason) {
    case undefined:
      return []
    case 'integration_disabled':
      return [
        {
          ...error,
          code: fault.reason,
          field: 'integrationId',
          detail: 'The integration it is sent through is switched off.',
        },
      ]
    case 'no_integration': {
      const detail = 'There is no integration to send it through: choose one, or make one the default.'
      return [{ ...error, code: fault.reason, field: 'integrationId', detail }]
    }
    case 'unverified_domain': {
      const { domain, address } = fault
      const detail = `${domain} is not a verified sending domain, so that mail from ${address} cannot be signed.`
      return [{ ...error, code: fault.reason, field: 'fromEmail', detail }]
    }
    default:
      return assertNever(fault)
  }
}

/** Pages behind a message's links show the workspace by its name; one that has none shows its sender's. */
export async function checkWorkspaceName(tx: Transaction, workspaceId: string): Promise<Check[]> {
  const { rowCount } = await tx.query({
    name: 'is_workspace_unnamed',
    text: 'select from workspaces where id = $1 and name = $2',
    values: [workspaceId, UNNAMED],
  })
  if (rowCount === 0) return []
  const detail = 'The workspace has no name yet, which readers see when they unsubscribe or confirm.'
  return [{ severity: 'warning', code: 'workspace_unnamed', field: null, line: null, detail }]
}
