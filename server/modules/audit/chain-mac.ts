import type { SecretKeys } from '../../platform/crypto/secret-box.ts'
import { judgeMac, type MacJudgement, macOf } from '../../platform/crypto/secret-mac.ts'
import type { Queryable } from '../../platform/db/transaction.ts'

const PURPOSE = 'postroom audit chain'

/** Where a workspace's chain begins and ends; seals in hex. The anchor is the last entry that retention has taken. */
export type Chain = {
  workspaceId: string
  sequence: string
  seal: string
  anchorSequence: string
  anchorSeal: string
  mac: string | null
}

export const CHAIN_COLUMNS = `workspace_id as "workspaceId", sequence, encode(seal, 'hex') as seal,
  anchor_sequence as "anchorSequence", encode(anchor_seal, 'hex') as "anchorSeal", mac`

/** The chain of a workspace, locked: sealing and pruning take turns. Undefined when nothing was ever sealed. */
export async function chainForChange(tx: Queryable, workspaceId: string): Promise<Chain | undefined> {
  const { rows } = await tx.query<Chain>({
    name: 'audit-chain-for-change',
    text: `select ${CHAIN_COLUMNS} from audit_chains where workspace_id = $1 for update`,
    values: [workspaceId],
  })
  return rows[0]
}

/** Whether the chain's beginning and end are those that we wrote. One without entries has nothing to prove. */
export function judgeChain(chain: Chain | undefined, keys: SecretKeys): MacJudgement {
  if (chain === undefined || chain.sequence === '0') return 'right'
  return chain.mac === null ? 'wrong' : judgeMac(chain.mac, textOf(chain), { ...keys, purpose: PURPOSE })
}

/** Puts our mark on the chain as it stands now. Only for who found it right before changing it in this transaction. */
export async function markChain(tx: Queryable, workspaceId: string, keys: SecretKeys): Promise<void> {
  const chain = await chainForChange(tx, workspaceId)
  if (chain === undefined) return
  await tx.query({
    name: 'mark-audit-chain',
    text: 'update audit_chains set mac = $2 where workspace_id = $1',
    values: [workspaceId, macOf(textOf(chain), keys, PURPOSE)],
  })
}

function textOf({ workspaceId, sequence, seal, anchorSequence, anchorSeal }: Chain): string {
  return JSON.stringify([workspaceId, sequence, seal, anchorSequence, anchorSeal])
}
