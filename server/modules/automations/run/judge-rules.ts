import { sql } from 'kysely'
import { int8Array } from '../../../platform/db/arrays.ts'
import { createQueryBuilder, statementOf } from '../../../platform/db/query-builder.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { compileMembers } from '../../segments/compile-members.ts'
import { passesTests } from '../../segments/judge-condition.ts'
import { readPropertyTests } from '../../segments/read-event-rule.ts'
import { readRuleGroup, type SegmentFacts } from '../../segments/read-rules.ts'
import { loadFacts } from '../../segments/segment-facts.ts'
import type { RuleText } from '../definition/definition.ts'
import { leavesOf, type RunLeaf, readRunRule, ruleHolds } from '../definition/run-rules.ts'
import { eventsPassing } from '../entry/passing-events.ts'
import { earliestOf } from '../micros.ts'
import type { Variables } from './variables.ts'

const build = createQueryBuilder<Record<string, never>>()

/** Somebody a rule is asked about: a run, or one that may begin. */
export type Subject = {
  id: string
  contactId: string
  runId: string | null
  eventId: string | null
  eventAt: string | null
  variables: Variables
}

/** A rule that cannot be asked any more, as after a field got another type: nobody goes by a rule that nobody meant. */
export class RuleBroken extends Error {
  override readonly name = 'RuleBroken'
}

/**
 * The subjects for whom a rule holds now, by their ids. Each question of the rule is asked once, of all of them; `now` is
 * what days are counted back from.
 */
export async function subjectsFor(
  tx: Transaction,
  workspaceId: string,
  { text, subjects, now }: { text: RuleText; subjects: readonly Subject[]; now: string },
): Promise<ReadonlySet<string>> {
  if (subjects.length === 0) return new Set()
  const { rule } = readRunRule(text)
  const facts = { ...(await loadFacts(tx, workspaceId, [text])), now }
  const answers = new Map<RunLeaf, (subject: Subject) => boolean>()
  for (const leaf of leavesOf(rule)) answers.set(leaf, await answerOf(tx, { workspaceId, subjects, facts }, leaf))
  return new Set(subjects.filter((one) => ruleHolds(rule, (leaf) => answers.get(leaf)!(one))).map(({ id }) => id))
}

type Asked = { workspaceId: string; subjects: readonly Subject[]; facts: SegmentFacts }

async function answerOf(tx: Transaction, asked: Asked, leaf: RunLeaf): Promise<(subject: Subject) => boolean> {
  const { workspaceId, subjects, facts } = asked
  switch (leaf.kind) {
    case 'contact': {
      const read = readRuleGroup(leaf.group, facts)
      if ('faults' in read) throw new RuleBroken(`${read.faults[0]?.pointer} ${read.faults[0]?.detail}`)
      const members = compileMembers(workspaceId, read.condition, { ids: subjects.map(({ contactId }) => contactId) })
      const { rows } = await tx.query<{ id: string }>(statementOf({ compile: () => sql`${members}`.compile(build) }))
      const ids = new Set(rows.map(({ id }) => id))
      return ({ contactId }) => ids.has(contactId)
    }
    case 'trigger': {
      const events = subjects.flatMap(({ eventId, eventAt }) => (eventId && eventAt ? [{ eventId, eventAt }] : []))
      const from = earliestOf(
        events.map(({ eventAt }) => eventAt),
        facts.now,
      )
      const positions = events.map(({ eventId }) => eventId)
      const passing = await eventsPassing(tx, workspaceId, { positions, from, where: [leaf.test], now: facts.now })
      return ({ eventId }) => eventId !== null && passing.has(eventId)
    }
    case 'variable': {
      const tests = readPropertyTests([leaf.test], facts.now)
      return ({ variables }) => passesTests(tests, variables)
    }
    case 'clicked': {
      const clicked = await runsThatClicked(tx, workspaceId, { node: leaf.node, subjects })
      return ({ runId }) => runId !== null && clicked.has(runId)
    }
  }
}

async function runsThatClicked(
  tx: Transaction,
  workspaceId: string,
  { node, subjects }: { node: string; subjects: readonly Subject[] },
): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'runs_that_clicked',
    text: `select distinct r.run_id as id from run_messages r
      join messages m on m.workspace_id = r.workspace_id and m.id = r.message_id and m.created_at = r.created_at
      where r.workspace_id = $1 and r.run_id = any ($2::int8[]) and r.node = $3 and m.clicked_at is not null`,
    values: [workspaceId, int8Array(subjects.map(({ runId }) => runId)), node],
  })
  return new Set(rows.map(({ id }) => id))
}
