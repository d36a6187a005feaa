import type pg from 'pg'
import { int8Array } from '../../../platform/db/arrays.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { refusalInWords } from '../../sending/ledger/refusal-words.ts'
import type { MessageState } from '../../sending/message-states.ts'
import type { Restraint } from '../../sending/restraint/restraints.ts'
import type { RunTrace } from './schemas.ts'

type MailRow = {
  id: string
  state: MessageState
  reason: string | null
  heldFor: Restraint | null
  dueAt: string | null
  topicId: string | null
  /** Of the automation. */
  name: string | null
}

/** `line` goes on from the name of the mail: `waits: the person has quiet hours`. */
export type MailFate = { node: string; messageId: string; line: string }

const HELD: Readonly<Record<Restraint, string>> = {
  quiet_hours: 'the person has quiet hours',
  frequency_cap: 'the person has had as much marketing mail as the workspace allows',
}

/** The fate of mails that their runs have gone on from: of those that wait all the same, and of those that were not sent in the end. */
export async function mailStories(
  sql: pg.Pool,
  { workspaceId, id }: { workspaceId: string; id: string },
  runs: readonly RunTrace[],
): Promise<ReadonlyMap<RunTrace, MailFate[]>> {
  const mails = runs.flatMap((run) =>
    run.steps.flatMap(({ node, way, seen }) => {
      const messageId = seen?.messageId
      return way === 'to' && node !== null && typeof messageId === 'string' ? [{ run, node, messageId }] : []
    }),
  )
  if (mails.length === 0) return new Map()
  const rows = await queryInScope<MailRow>(sql, workspaceId, {
    name: 'mails_of_runs',
    text: `select m.id, m.state, m.reason, m.topic_id as "topicId", q.held_for as "heldFor", q.due_at as "dueAt",
        (select name from automations where workspace_id = $1 and id = $3) as name
      from unnest($2::int8[]) as g(id)
      cross join lateral (select * from messages where workspace_id = $1 and id = g.id limit 1) m
      left join message_queue q on q.workspace_id = $1 and q.message_id = m.id and q.turn is null`,
    values: [workspaceId, int8Array(mails.map(({ messageId }) => messageId)), id],
  })
  const byId = new Map(rows.map((row) => [row.id, row]))
  const told = mails.flatMap(({ run, node, messageId }) => {
    const row = byId.get(messageId)
    const line = row && fateOf(row, id)
    return line === undefined ? [] : [{ run, fate: { node, messageId, line } }]
  })
  const stories = Map.groupBy(told, ({ run }) => run)
  return new Map([...stories].map(([run, of]) => [run, of.map(({ fate }) => fate)]))
}

function fateOf(row: MailRow, automationId: string): string | undefined {
  const { state, reason, heldFor, dueAt, topicId, name } = row
  if (state === 'pending')
    return heldFor === null ? undefined : `waits: ${HELD[heldFor]}. It is looked at again at ${dueAt}`
  if (state !== 'skipped' && state !== 'suppressed') return undefined
  const origin = { sourceKind: 'automation', sourceId: automationId, topicId, name } as const
  return `was not sent: ${refusalInWords(origin, { state, reason })}`
}
