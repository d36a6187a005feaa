import type pg from 'pg'
import { invalid, limitReached, notFound, unprocessable, wrongStatus } from '../../../catalogue/problems.ts'
import { readName } from '../../../catalogue/read-name.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { requireMatch } from '../../../platform/etag.ts'
import type { FieldError } from '../../../platform/problem.ts'
import { diffOf, recordAudit } from '../../audit/record-audit.ts'
import type { Caller } from '../../auth/caller.ts'
import type { CompiledCache } from '../../templates/compiled-cache.ts'
import { soundScenarios } from '../scenarios/sound-scenarios.ts'
import type { Automation, AutomationBody, AutomationChange, LinearStep } from '../schemas.ts'
import { automationOf } from './automation-of.ts'
import { canonicalJson } from './canonical-json.ts'
import { checkMails, mailsOf } from './check-mail.ts'
import { checkReferences } from './check-references.ts'
import type { Definition } from './definition.ts'
import { AUTOMATIONS_MAX } from './limits.ts'
import { definitionOf, linearFaults } from './linear.ts'
import { noteRevision } from './note-revision.ts'
import {
  type AutomationRow,
  automationForChange,
  countForAdding,
  insertAutomation,
  updateWritten,
  type WrittenRow,
} from './queries.ts'
import { readDefinition } from './read-definition.ts'

export type DefinitionDeps = { sql: pg.Pool; compiled: CompiledCache }

/** Faults that one answer names. */
const NAMED_FAULTS_MAX = 50

/** Creates a draft. Throws 400 for its name, 409 beyond the limit, 422 with a pointer to each fault of its definition. */
export async function createAutomation(
  deps: DefinitionDeps,
  caller: Caller,
  body: AutomationBody,
): Promise<Automation> {
  const { workspaceId } = caller
  const name = readName(body.name)
  const written = readForm(body)
  if (!written) throw invalid([{ pointer: '/definition', detail: 'must be there, or triggerEvent and steps' }])
  const scenarios = soundScenarios(body.scenarios ?? [])
  await requireSoundMails(deps, workspaceId, written)
  const row = await inTransaction(deps.sql, workspaceId, async (tx) => {
    if ((await countForAdding(tx, workspaceId)) >= AUTOMATIONS_MAX) {
      throw limitReached(`A workspace has at most ${AUTOMATIONS_MAX} automations.`)
    }
    const segmentIds = await requireSoundReferences(tx, workspaceId, written)
    const inserted = await insertAutomation(tx, workspaceId, { name, ...stored(written), scenarios, segmentIds })
    await noteRevision(tx, { workspaceId, id: inserted.id }, { after: inserted, actor: caller.actor })
    await recordAutomation(tx, caller, { verb: 'create', after: inserted })
    return inserted
  })
  return automationOf(row)
}

type Changing = {
  id: string
  change: AutomationChange
  ifMatch?: string | undefined
  /** The revision that the change is. */
  restoredFrom?: number
}

/** Changes the draft; absent fields stay. Throws 404, 409 when it is stopped, 412, and 422 as creating does. */
export async function updateAutomation(
  deps: DefinitionDeps,
  caller: Caller,
  { id, change, ifMatch, restoredFrom }: Changing,
): Promise<Automation> {
  const { workspaceId } = caller
  const key = { workspaceId, id }
  const name = change.name === undefined ? undefined : readName(change.name)
  const scenarios = change.scenarios === undefined ? undefined : soundScenarios(change.scenarios)
  const given = readForm(await withStored(deps, key, change))
  if (given) await requireSoundMails(deps, workspaceId, given)
  const row = await inTransaction(deps.sql, workspaceId, async (tx) => {
    const before = await automationForChange(tx, key)
    if (!before) throw notFound()
    requireMatch(ifMatch, automationOf(before))
    if (before.status === 'stopped') throw wrongStatus('It is stopped; only one that is not is changed.')
    const segmentIds = given ? await requireSoundReferences(tx, workspaceId, given) : before.segmentIds
    const text = given ? stored(given) : { draft: before.draft, steps: before.steps }
    const after = { name: name ?? before.name, ...text, scenarios: scenarios ?? before.scenarios, segmentIds }
    if (isSame(after, before)) return before
    const updated = await updateWritten(tx, key, after)
    const isOther = !isSame({ ...before, name: after.name }, after)
    if (isOther) await noteRevision(tx, key, { before, after, actor: caller.actor, restoredFrom })
    await recordAutomation(tx, caller, { verb: 'update', before, after: updated })
    return updated
  })
  return automationOf(row)
}

const isSame = (one: WrittenRow, other: WrittenRow) =>
  one.name === other.name && one.draft === other.draft && one.steps === other.steps && one.scenarios === other.scenarios

/** A definition with the form it was written in. */
type Written = { given: unknown; definition: Definition; steps: readonly LinearStep[] | null }

/** Reads whichever form a body has; undefined when it has none. Throws 400 for both, 422 for its faults. */
function readForm(body: AutomationChange): Written | undefined {
  const { definition: graph, triggerEvent, steps } = body
  const isLinear = triggerEvent !== undefined || steps !== undefined
  if (graph === undefined && !isLinear) return undefined
  if (graph !== undefined && isLinear) {
    throw invalid([{ pointer: '/definition', detail: 'cannot stand beside triggerEvent and steps' }])
  }
  if (isLinear && triggerEvent === undefined) throw invalid([{ pointer: '/triggerEvent', detail: 'must be there' }])
  const linear = isLinear ? { triggerEvent: triggerEvent!, steps: steps ?? [] } : null
  const given = linear ? definitionOf(linear) : graph
  const { definition, faults } = readDefinition(given)
  const written = { given, definition, steps: linear?.steps ?? null }
  throwFaults(written, faults)
  return written
}

/** A change of one of the linear form's two parts, with the other as it is. */
async function withStored(
  deps: DefinitionDeps,
  key: { workspaceId: string; id: string },
  change: AutomationChange,
): Promise<AutomationChange> {
  const { triggerEvent, steps } = change
  if ((triggerEvent === undefined) === (steps === undefined)) return change
  const stored = automationOf(await inTransaction(deps.sql, key.workspaceId, (tx) => existing(tx, key)))
  return {
    ...change,
    triggerEvent: triggerEvent ?? stored.triggerEvent ?? '',
    steps: steps ?? stored.steps ?? [],
  }
}

async function existing(tx: Transaction, key: { workspaceId: string; id: string }): Promise<AutomationRow> {
  const row = await automationForChange(tx, key)
  if (!row) throw notFound()
  return row
}

function throwFaults({ steps }: Pick<Written, 'steps'>, faults: readonly FieldError[]): void {
  if (faults.length === 0) return
  throw unprocessable((steps === null ? [...faults] : linearFaults(faults)).slice(0, NAMED_FAULTS_MAX))
}

/** Before the transaction that writes, which waits for no compiler. */
async function requireSoundMails(deps: DefinitionDeps, workspaceId: string, written: Written): Promise<void> {
  const mails = await inTransaction(deps.sql, workspaceId, (tx) => mailsOf(tx, workspaceId, written.definition))
  throwFaults(written, await checkMails(deps.compiled, mails, written.definition))
}

async function requireSoundReferences(tx: Transaction, workspaceId: string, written: Written): Promise<string[]> {
  const { faults, segmentIds } = await checkReferences(tx, workspaceId, written.definition)
  throwFaults(written, faults)
  return segmentIds
}

function stored({ given, steps }: Written): Pick<WrittenRow, 'draft' | 'steps'> {
  return { draft: canonicalJson(given), steps: steps === null ? null : JSON.stringify(steps) }
}

type Recorded =
  | { verb: 'create'; before?: undefined; after: AutomationRow }
  | { verb: 'update'; before: AutomationRow; after: AutomationRow }
  | { verb: 'delete'; before: AutomationRow; after?: undefined }

/** A definition may hold addresses and the text of mails: an entry says only that it changed. */
export async function recordAutomation(
  tx: Transaction,
  caller: Caller,
  { verb, before, after }: Recorded,
): Promise<void> {
  const { id, name } = after ?? before
  const shown = (row: AutomationRow | undefined) =>
    row && { name: row.name, definition: row.draft, scenarios: row.scenarios }
  const diff = diffOf(shown(before), shown(after), { hidden: ['definition', 'scenarios'] })
  await recordAudit(tx, caller, { action: `automation.${verb}`, target: { type: 'automation', id, name }, diff })
}
