import type { Proof } from '../../../catalogue/proofs.ts'
import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { isProvenTo } from '../../segments/event-proof.ts'
import { type Definition, TRIGGER_PROOF } from '../definition/definition.ts'
import { BACKFILL_NOW_WAY, BACKFILL_THEN_WAY, CLOSED_WAY, OCCURRENCE_WAY } from '../definition/listens.ts'
import { shareOf } from '../definition/share-of.ts'
import { compareMoments, earliestOf } from '../micros.ts'
import { comeToClosed } from './closings.ts'
import { type Ledger, ledgerOf, type Verdict } from './entry-ledger.ts'
import { isOccurrence } from './occurrence-key.ts'
import { eventsPassing } from './passing-events.ts'

/** Live runs of a contact in one automation, whatever its modes. */
export const LIVE_RUNS_MAX = 10
/** Automations that lead to each other, one after the other. */
export const DEPTH_MAX = 8
export const KEY_CHARS_MAX = 200

/** An event that wants to bring a contact in. */
export type Wanting = {
  contactId: string
  position: string
  dueAt: string
  depth: number
  entryKey: string | null
  /** Of an event of the past how it is gone through, and whether it is a date or a schedule that brings somebody in (listens.ts). */
  way?: number
}

/** The trigger; a name of null is none, as where somebody was enrolled. `key` is the value that tells entries apart; `proof` says of a
 * browser's event how well it is proven whose it is. */
export type Trigger = {
  position: string
  recordedAt: string
  /** When the person begins: the event's moment, or that of the wish of somebody who begins now by an event of the past. */
  beginsAt: string
  name: string | null
  key: string | null
  proof: Proof | null
}

/** A verdict on who wants to come in. */
export type Decision = { wanting: Wanting; trigger: Trigger; key: string; verdict: Verdict }

export type Deciding = {
  workspaceId: string
  automationId: string
  /** The version in force. */
  definition: Definition
  now: string
  /** Live runs of a contact by their keys. */
  liveKeysOf: (contactId: string) => readonly string[]
  /** For whom a rule holds, by the positions of their triggers. */
  ruleHolds: (text: string, of: readonly Decision[]) => Promise<ReadonlySet<string>>
  /** The earliest next entry of a contact after one, by the gap of the mode. */
  gapEnd: (enteredAt: string, contactId: string) => string
}

/**
 * Decides who comes in, at most one entry a contact: closed, filter, rule, key, mode, limits and holdout, in this order. A wish
 * of a time at which the entry was open is not late where it has closed since. Nobody else decides for the same contact meanwhile
 * (docs/adr/0015).
 */
export async function decideEntries(
  tx: Transaction,
  deciding: Deciding,
  wanting: readonly Wanting[],
): Promise<Decision[]> {
  const { workspaceId, automationId, definition } = deciding
  const keyed = definition.enter.again.key
  const triggers = await triggersOf(tx, workspaceId, {
    positions: wanting.filter((one) => !isWithoutEvent(one)).map(({ position }) => position),
    keyed,
  })
  const decisions = wanting.flatMap((one): Decision[] => {
    const found = isWithoutEvent(one) ? byHand(one) : triggers.get(one.position)
    if (!found) return []
    const trigger = one.way === BACKFILL_NOW_WAY ? { ...found, beginsAt: one.dueAt } : found
    const key = (trigger.key ?? '').slice(0, KEY_CHARS_MAX)
    return [{ wanting: one, trigger, key, verdict: { entered: true, heldOut: false } }]
  })
  const refuse = (of: readonly Decision[], refusal: Extract<Verdict, { entered: false }>['refusal']) => {
    for (const decision of of) decision.verdict = { entered: false, refusal }
  }
  const open = () => decisions.filter(({ verdict }) => verdict.entered)
  const late = await comeToClosed(tx, deciding, wanting.filter(isWithoutEvent))
  refuse(
    open().filter(({ wanting: one }) => one.way === CLOSED_WAY || late.has(one.position)),
    'closed',
  )
  refuse(await notPassing(tx, deciding, open()), 'filter')
  if (definition.enter.if !== null) {
    const holds = await deciding.ruleHolds(definition.enter.if, open())
    refuse(
      open().filter(({ trigger }) => !holds.has(trigger.position)),
      'rule',
    )
  }
  refuse(
    open().filter(({ trigger }) => (trigger.key ?? '').length > KEY_CHARS_MAX),
    'key',
  )
  refuse(
    open().filter(({ wanting }) => wanting.depth > DEPTH_MAX),
    'loop',
  )
  const ledger = await ledgerOf(tx, { workspaceId, automationId }, open())
  refuse(
    open().filter((decision) => !modeAllows(deciding, decision, ledger.get(decision))),
    'mode',
  )
  refuse(
    open().filter((decision) => isFull(deciding, decision)),
    'limit',
  )
  for (const decision of open()) {
    const heldOut = shareOf(`holdout/${automationId}`, decision.wanting.contactId) < definition.enter.holdout
    decision.verdict = { entered: true, heldOut }
  }
  return decisions.filter((decision) => !ledger.get(decision)?.cameByIt)
}

export const isBackfilled = ({ way }: Pick<Wanting, 'way'>) => way === BACKFILL_NOW_WAY || way === BACKFILL_THEN_WAY

/** Positions below zero are of no event (put-entries.ts). */
const isWithoutEvent = ({ position }: Wanting) => position.startsWith('-')
const byHand = ({ position, dueAt, entryKey }: Wanting): Trigger => {
  return { position, recordedAt: dueAt, beginsAt: dueAt, name: null, key: entryKey, proof: null }
}

async function notPassing(tx: Transaction, deciding: Deciding, open: readonly Decision[]): Promise<Decision[]> {
  const { workspaceId, definition, now } = deciding
  const passed = new Set<string>()
  for (const trigger of definition.enter.on) {
    if (!('event' in trigger)) continue
    const least = trigger.minProof ?? TRIGGER_PROOF
    const named = open.filter(
      ({ trigger: { name, position, proof } }) =>
        name === trigger.event && isProvenTo(least, proof) && !passed.has(position),
    )
    const from = earliestOf(
      named.map(({ trigger: { recordedAt } }) => recordedAt),
      now,
    )
    const positions = named.map(({ trigger: { position } }) => position)
    for (const position of await eventsPassing(tx, workspaceId, { positions, from, where: trigger.where, now })) {
      passed.add(position)
    }
  }
  return open.filter(({ trigger }) => trigger.name !== null && !passed.has(trigger.position))
}

function modeAllows(
  { definition, liveKeysOf, gapEnd }: Deciding,
  decision: Decision,
  ledger: Ledger | undefined,
): boolean {
  const { mode } = definition.enter.again
  const entered = ledger !== undefined && ledger.entries > 0
  // An occurrence may be found more than once, as where somebody has moved to another zone.
  if (entered && isOfOccurrence(decision, definition)) return false
  // Somebody who came in since then has by a newer event: an older one is over.
  if (
    entered &&
    mode !== 'every' &&
    isBackfilled(decision.wanting) &&
    compareMoments(ledger.enteredAt!, decision.trigger.recordedAt) >= 0
  )
    return false
  switch (mode) {
    case 'once':
      return !entered
    case 'after_end':
      return !liveKeysOf(decision.wanting.contactId).includes(decision.key)
    case 'gap':
      return (
        !entered ||
        compareMoments(gapEnd(ledger.enteredAt!, decision.wanting.contactId), decision.trigger.beginsAt) <= 0
      )
    case 'every':
    case 'restart':
      return true
  }
}

/** Those that a process from before migration 0147 has put are told by their key, and only to the version that has their trigger. */
function isOfOccurrence({ wanting, key }: Decision, { enter }: Definition): boolean {
  return wanting.way === OCCURRENCE_WAY || (isWithoutEvent(wanting) && isOccurrence(enter.on, key))
}

function isFull({ definition, liveKeysOf }: Deciding, { wanting, key }: Decision): boolean {
  const live = liveKeysOf(wanting.contactId)
  const ends = definition.enter.again.mode === 'restart' ? live.filter((one) => one === key).length : 0
  return live.length - ends >= LIVE_RUNS_MAX
}

async function triggersOf(
  tx: Transaction,
  workspaceId: string,
  { positions, keyed }: { positions: readonly string[]; keyed: string | null },
): Promise<ReadonlyMap<string, Trigger>> {
  const { rows } = await tx.query<Trigger>({
    name: 'triggers_of_runs',
    text: `select id as position, recorded_at as "recordedAt", recorded_at as "beginsAt", name, data ->> $3::text as key, proof
      from events where workspace_id = $1 and id = any ($2::int8[])`,
    values: [workspaceId, int8Array(positions), keyed],
  })
  return new Map(rows.map((row) => [row.position, row]))
}
