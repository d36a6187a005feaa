import { isObject } from '../../segments/parse-definition.ts'
import { AGAIN_MODES, type Again, type Entry, type Exit, type Goal, type RuleText, type Trigger } from './definition.ts'
import { EXITS_MAX, PROPERTY_CHARS_MAX, SHARES, TRIGGERS_MAX } from './limits.ts'
import { readDuration, readEventName, readHappening, readMatch, readProof, readWhere } from './read-parts.ts'
import { readDateTrigger, readScheduleTrigger } from './read-timed-triggers.ts'
import type { Reading } from './reading.ts'
import { readRunRule } from './run-rules.ts'

const ONCE: Again = { mode: 'once', key: null, gap: null }

/** The part that says who comes in, when, and how often. */
export function readEntry(reading: Reading, given: unknown, at: string): Entry {
  if (given === undefined) {
    reading.fault(at, 'must say what brings people in: {"on": [{"event": "…"}]}')
    return { on: [], if: null, again: ONCE, holdout: 0 }
  }
  const value = reading.object(given, at, ['on', 'if', 'again', 'holdout'])
  const on = reading.list(value.on, `${at}/on`, { min: 1, max: TRIGGERS_MAX })
  return {
    on: on.map((trigger, n) => readTrigger(reading, trigger, `${at}/on/${n}`)),
    if: value.if === undefined || value.if === null ? null : readRuleText(reading, value.if, `${at}/if`),
    again: readAgain(reading, value.again, `${at}/again`),
    holdout: value.holdout === undefined ? 0 : reading.whole(value.holdout, `${at}/holdout`, { min: 0, max: SHARES }),
  }
}

function readTrigger(reading: Reading, given: unknown, at: string): Trigger {
  if (isObject(given) && 'manual' in given) {
    const { manual } = reading.object(given, at, ['manual'])
    if (manual !== true) reading.fault(`${at}/manual`, 'must be true')
    return { manual: true }
  }
  if (isObject(given) && 'date' in given) return readDateTrigger(reading, given, at)
  if (isObject(given) && 'schedule' in given) return readScheduleTrigger(reading, given, at)
  if (isObject(given) && 'match' in given) reading.fault(`${at}/match`, 'has no trigger to equal: this is one')
  const { match: _, ...trigger } = readHappening(reading, given, { at, more: ['minProof'] })
  return trigger
}

function readAgain(reading: Reading, given: unknown, at: string): Again {
  if (given === undefined || given === null) return ONCE
  const value = reading.object(given, at, ['mode', 'key', 'gap'])
  const mode = value.mode === undefined ? 'once' : reading.oneOf(value.mode, `${at}/mode`, AGAIN_MODES)
  const key = reading.textOrNull(value.key, `${at}/key`, PROPERTY_CHARS_MAX)
  const isGap = mode === 'gap'
  if (!isGap && value.gap !== undefined && value.gap !== null)
    reading.fault(`${at}/gap`, 'stands beside the mode gap only')
  return { mode, key, gap: isGap ? readDuration(reading, value.gap, `${at}/gap`, { msMin: 1 }) : null }
}

/** The JSON text of a rule group, once it is known to be one. */
export function readRuleText(reading: Reading, given: unknown, at: string): RuleText {
  if (!isObject(given)) {
    reading.fault(at, 'must be a rule group: {"combinator": "and", "rules": […]}')
    return ''
  }
  const text = JSON.stringify(given)
  const { faults } = readRunRule(text)
  for (const { pointer, detail } of faults) reading.fault(pointer.replace('/definition', at), detail)
  return text
}

export function readExits(reading: Reading, given: unknown, at: string): Exit[] {
  if (given === undefined || given === null) return []
  const exits = reading.list(given, at, { max: EXITS_MAX })
  return exits.map((exit, n) => readHappening(reading, exit, { at: `${at}/${n}` }))
}

export function readGoal(reading: Reading, given: unknown, at: string): Goal | null {
  if (given === undefined || given === null) return null
  const value = reading.object(given, at, ['event', 'where', 'match', 'minProof', 'value', 'within', 'exit'])
  return {
    event: readEventName(reading, value.event, `${at}/event`),
    where: readWhere(reading, value.where, `${at}/where`),
    match: readMatch(reading, value.match, `${at}/match`),
    ...readProof(reading, value.minProof, `${at}/minProof`),
    value: reading.textOrNull(value.value, `${at}/value`, PROPERTY_CHARS_MAX),
    within: readDuration(reading, value.within ?? 'P30D', `${at}/within`, { msMin: 1 }),
    exit: reading.boolean(value.exit, `${at}/exit`, false),
  }
}
