import type pg from 'pg'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { DAY_SECONDS } from '../../../platform/durations.ts'
import { recordSystemAudit } from '../../audit/record-audit.ts'
import { ownersOf } from '../../members/owners-of.ts'
import type { SystemMailer } from '../../system-mail/system-mailer.ts'
import { AUTOMATION_GATE } from '../gate.ts'

/** Runs parked at a node within HALT_MINUTES after which it is halted; or fewer, if they are many of those who have come there. */
export const HALT_RUNS = 100
export const HALT_RUNS_MIN = 10
export const HALT_SHARE = 0.01
export const HALT_MINUTES = 10
const NOTICE_SECONDS = DAY_SECONDS

export type HaltDeps = { pool: pg.Pool; mailer: Pick<SystemMailer, 'queue'> }
type Place = { workspaceId: string; automationId: string; node: string }

/**
 * Halts a node at which too many have been parked, unless it is already: whoever comes there gathers untried, and owners are told
 * once. Retrying there, or publishing, lifts it.
 */
export async function haltWhereManyFail({ pool, mailer }: HaltDeps, place: Place): Promise<void> {
  const { workspaceId, automationId, node } = place
  await inTransaction(pool, workspaceId, async (tx) => {
    await AUTOMATION_GATE.close(tx, workspaceId, automationId)
    const { rows } = await tx.query<{ name: string; isHalted: boolean }>({
      name: 'automation_to_halt',
      text: `select name, $3 = any (halted_nodes) as "isHalted" from automations
        where workspace_id = $1 and id = $2 and stopped_at is null for update`,
      values: [workspaceId, automationId, node],
    })
    const [automation] = rows
    if (!automation || automation.isHalted) return
    const failed = await failedAt(tx, place)
    if (!isTooMany(failed)) return
    await tx.query({
      name: 'halt_automation_node',
      text: 'update automations set halted_nodes = array_append(halted_nodes, $3) where workspace_id = $1 and id = $2',
      values: [workspaceId, automationId, node],
    })
    const target = { type: 'automation', id: automationId, name: automation.name }
    const diff = { haltedNode: { from: null, to: node }, parked: { from: null, to: failed.parked } }
    await recordSystemAudit(tx, workspaceId, { action: 'automation.halt_node', target, diff })
    for (const owner of await ownersOf(tx, workspaceId)) {
      await mailer.queue(tx, {
        kind: 'automation_notice',
        recipient: owner.email,
        lifeSeconds: NOTICE_SECONDS,
        content: contentOf(owner, { automation: automation.name, node, ...failed }),
      })
    }
  })
}

type Failed = { parked: number; came: number; error: string | null }

/** Whether a node is to be halted. */
export function isTooMany({ parked, came }: Pick<Failed, 'parked' | 'came'>): boolean {
  return parked >= HALT_RUNS || (parked >= HALT_RUNS_MIN && parked > came * HALT_SHARE)
}

async function failedAt(tx: Transaction, { workspaceId, automationId, node }: Place): Promise<Failed> {
  const { rows } = await tx.query<{ parked: string; came: string; error: string | null }>({
    name: 'failed_at_node',
    text: `select count(*) as parked, max(error) as error, (
        select coalesce(sum(total), 0) from node_totals
        where workspace_id = $1 and automation_id = $2 and node = $3 and kind = 'entered') as came
      from runs where workspace_id = $1 and automation_id = $2 and node = $3 and state = 'parked'
        and parked_at > now() - make_interval(mins => ${HALT_MINUTES})`,
    values: [workspaceId, automationId, node],
  })
  const { parked, came, error } = rows[0]!
  return { parked: Number(parked), came: Number(came), error }
}

type Told = Failed & { automation: string; node: string }

function contentOf(
  { name, workspace }: { name: string; workspace: string },
  { automation, node, parked, error }: Told,
): { subject: string; paragraphs: string[] } {
  return {
    subject: `${automation} is halted at “${node}”`,
    paragraphs: [
      `Hello ${name},`,
      `in the automation ${automation} of the workspace ${workspace}, ${parked} people have failed at the step “${node}” within ${HALT_MINUTES} minutes. The last error: ${error}`,
      'Nobody is lost: they stand there, and whoever comes there joins them untried. Everybody else goes on.',
      'Mend the cause, then retry, skip or exit those who stand there. Retrying, or publishing a new version, lifts the halt.',
    ],
  }
}
