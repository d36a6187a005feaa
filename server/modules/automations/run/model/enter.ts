import type { Proof } from '../../../../catalogue/proofs.ts'
import { valueText } from '../../../../platform/json/value-text.ts'
import { isProvenTo } from '../../../segments/event-proof.ts'
import { type Definition, TRIGGER_PROOF, type Trigger } from '../../definition/definition.ts'
import type { Data, Facts, Interpreted, Micros, ModelRun } from './model-run.ts'
import { later } from './model-time.ts'
import { holds } from './walk.ts'

/** Why somebody does not come in. */
export type Refusal = 'closed' | 'filter' | 'rule' | 'key' | 'loop' | 'mode' | 'limit'

/** A wish to come in: an event's, or by hand (without a name). */
export type Entering = {
  at: Micros
  position: number
  name: string | null
  data: Data | null
  /** How well it is proven of a browser's event whose it is; none of what needs no proof. */
  proof?: Proof | null
  /** How many automations have led to each other before it. */
  depth: number
  /** By hand: the key that was given. */
  key?: string
  /** Of a date or a schedule: the key of what has come, which brings somebody in once. */
  occurrence?: string
  /** Of an event of the past that is gone through: when it happened. */
  recordedAt?: Micros
  /** Of a wish of a pause: whether the entry was closed when it came. */
  isClosed?: boolean
  /** Of an event of a pause: the version in force when it happened, which heard it. */
  heardBy?: Definition
}

/** One entry of the ledger: how often this key has come in, and when last. */
export type Entered = { entries: number; enteredAt: Micros }
export type Inside = { live: readonly ModelRun[]; ledger: ReadonlyMap<string, Entered>; isOpen: boolean }

export type Verdict =
  | { outcome: 'enters'; entryKey: string; replaces: readonly ModelRun[] }
  | { outcome: 'refused'; reason: Refusal; entryKey: string }

/** More live runs than these nobody has in one automation, whatever the keys. */
const LIVE_MAX = 10
/** Automations that have led to each other. */
const DEPTH_MAX = 8
const KEY_CHARS_MAX = 200

/** Whether somebody comes in, and by which key; undefined when the automation does not listen to that at all. */
export function verdict(of: Interpreted, inside: Inside, entering: Entering): Verdict | undefined {
  const { enter } = of.definition
  const heard = enter.on.filter((trigger) => isHeard(trigger, entering.name))
  // By hand somebody comes in whatever the triggers.
  const isByHand = entering.name === null
  const isWish =
    entering.heardBy === undefined || entering.recordedAt !== undefined
      ? heard.length > 0
      : entering.heardBy.enter.on.some((trigger) => isHeard(trigger, entering.name))
  if (!isWish && !isByHand) return undefined
  const key = entering.occurrence ?? entering.key ?? keyOf(of.definition, entering.data)
  const refused = (reason: Refusal): Verdict => ({ outcome: 'refused', reason, entryKey: key.slice(0, KEY_CHARS_MAX) })
  if (entering.isClosed ?? !inside.isOpen) return refused('closed')
  if (!isByHand && !heard.some((trigger) => passes(of.facts, trigger, entering))) return refused('filter')
  if (enter.if !== null && !holds({ run: asking(entering), facts: of.facts, effects: [] }, enter.if)) {
    return refused('rule')
  }
  if (key.length > KEY_CHARS_MAX) return refused('key')
  if (entering.depth > DEPTH_MAX) return refused('loop')
  return byMode(of, { inside, entering, entryKey: key })
}

type Asked = { inside: Inside; entering: Entering; entryKey: string }

function byMode({ definition, facts }: Interpreted, { inside, entering, entryKey }: Asked): Verdict {
  const { mode, gap } = definition.enter.again
  const before = inside.ledger.get(entryKey)
  const current = inside.live.find((run) => run.entryKey === entryKey)
  const refused = (reason: Refusal): Verdict => ({ outcome: 'refused', reason, entryKey })
  if (entering.occurrence !== undefined && before !== undefined) return refused('mode')
  // Somebody who came in since then has by a newer event: an older one is over.
  const isOver = entering.recordedAt !== undefined && before !== undefined && before.enteredAt >= entering.recordedAt
  if (isOver && mode !== 'every') return refused('mode')
  if (mode === 'once' && before !== undefined) return refused('mode')
  if (mode === 'after_end' && current !== undefined) return refused('mode')
  if (mode === 'gap' && before !== undefined) {
    const zone = facts.zone ?? definition.defaultZone
    if (gap !== null && entering.at < later(before.enteredAt, gap, zone)) return refused('mode')
  }
  // More than one where an older version took everybody every time.
  const replaces = mode === 'restart' ? inside.live.filter((run) => run.entryKey === entryKey) : []
  if (inside.live.length - replaces.length >= LIVE_MAX) return refused('limit')
  return { outcome: 'enters', entryKey, replaces }
}

function isHeard(trigger: Trigger, name: string | null): boolean {
  return 'event' in trigger ? trigger.event === name : name === null
}

function passes(facts: Facts, trigger: Trigger, { data, proof = null }: Entering): boolean {
  if (!('event' in trigger)) return true
  return isProvenTo(trigger.minProof ?? TRIGGER_PROOF, proof) && facts.passes(trigger.where, data ?? {})
}

/** The text of the key's property; '' where there is none. */
function keyOf({ enter }: Definition, data: Data | null): string {
  return valueText(enter.again.key === null ? undefined : data?.[enter.again.key])
}

/** Rules at the entry ask what is not a run yet. */
function asking({ at, data }: Entering): ModelRun {
  return {
    ...{ entryKey: '', enteredAt: at, enteredPosition: 0, trigger: data, node: '', visit: 0, state: 'ready', at },
    ...{ position: 0, dueAt: null, endAt: null, putOff: 0, variables: {}, goalAt: null, goalValue: null, end: null },
  }
}
