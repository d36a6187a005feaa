import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { microsOf } from '../micros.ts'
import type { Run } from './run-state.ts'
import { storedVariables } from './variables.ts'

type RunRow = Omit<
  Run,
  'variables' | 'mailFrom' | 'enteredAt' | 'at' | 'putOff' | 'goalAt' | 'reached' | 'zone' | 'isNew' | 'timer' | 'end'
> & {
  enteredAt: string
  at: string
  putOff: string
  goalAt: string | null
  variables: string | null
  mailFrom: string | null
}

/** All runs of these contacts in the automation, by id, locked. */
export async function loadRuns(
  tx: Transaction,
  { workspaceId, automationId }: { workspaceId: string; automationId: string },
  contactIds: readonly string[],
): Promise<Map<string, Run>> {
  const { rows } = await tx.query<RunRow>({
    name: 'runs_of_contacts',
    text: `select id, version, contact_id as "contactId", entry_key as "entryKey", created_at as "createdAt",
        entered_at as "enteredAt", event_id as "eventId", event_at as "eventAt", depth, node, visit, state, at,
        at_position as "atPosition", attempts, error, skip_visit as "skipVisit", looked, pauses, put_off as "putOff", goal_at as "goalAt",
        goal_value as "goalValue", variables::text as variables, mail_from as "mailFrom"
      from runs where workspace_id = $1 and automation_id = $2 and contact_id = any ($3::int8[]) order by id for update`,
    values: [workspaceId, automationId, int8Array(contactIds)],
  })
  return new Map(rows.map((row) => [row.id, runOf(row)]))
}

function runOf(row: RunRow): Run {
  return {
    ...row,
    enteredAt: microsOf(row.enteredAt),
    at: microsOf(row.at),
    variables: storedVariables(row.variables),
    mailFrom: row.mailFrom === null ? null : microsOf(row.mailFrom),
    putOff: BigInt(row.putOff),
    goalAt: row.goalAt === null ? null : microsOf(row.goalAt),
    reached: false,
    zone: 'UTC',
    isNew: false,
    timer: null,
    end: null,
  }
}
