import { unprocessable } from '../../catalogue/problems.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { Caller } from '../auth/caller.ts'
import type { TagRename } from '../tags/manage-tags.ts'
import { recordSegment } from './manage-segments.ts'
import { DEFINITION_CHARS_MAX, isObject } from './parse-definition.ts'
import { lockSegments, segmentsWith, updateDefinitions } from './queries.ts'
import { type RewrittenRule, rewritten } from './rewrite-rules.ts'
import { joinList, readText, splitList } from './rule-values.ts'

export type Rename = { from: string; to: string }

/**
 * Lets the definitions of a workspace follow a custom field to its new key, in the transaction that renames it. Throws a
 * 422 when one of them would become too long.
 */
export function renameFieldInSegments(tx: Transaction, caller: Caller, { from, to }: Rename): Promise<void> {
  const rename = (rule: RewrittenRule) => (rule.field === `custom:${from}` ? { ...rule, field: `custom:${to}` } : rule)
  return follow(tx, caller, { text: 'custom:', pointer: '/key', rename })
}

/** Lets them follow a tag to its new name, in the same way; conditions on its events mean it by its id from then on. */
export function renameTagInSegments(tx: Transaction, caller: Caller, { id, from, to }: TagRename): Promise<void> {
  const folded = from.toLowerCase()
  const renamed = (item: unknown) => (textOf(item)?.trim().toLowerCase() === folded ? to : item)
  const rename = (rule: RewrittenRule) => {
    if (TAG_EVENTS.has(rule.field)) return onItsEvents(rule, { id, from, to })
    if (rule.field !== 'tag') return rule
    const { value, operator } = rule
    if (Array.isArray(value)) return { ...rule, value: value.map(renamed) }
    if (typeof value !== 'string' || (operator !== 'in' && operator !== 'notIn'))
      return { ...rule, value: renamed(value) }
    const items = splitList(value)
    return items.some((item) => renamed(item) !== item)
      ? { ...rule, value: joinList(items.map(renamed) as string[]) }
      : rule
  }
  return follow(tx, caller, { text: '"tag"', pointer: '/name', rename })
}

const TAG_EVENTS: ReadonlySet<string> = new Set(['event:contact.tagged', 'event:contact.untagged'])

/**
 * Events have the name that their tag had when they happened, and its id: by that a condition finds those of before and those to come, and
 * a list of names by both names. A name that was not exactly this one, of which there were no events, stays as it is.
 */
function onItsEvents(rule: RewrittenRule, { id, from, to }: TagRename): RewrittenRule {
  if (!isObject(rule.value) || !Array.isArray(rule.value.where)) return rule
  const withBoth = (names: readonly unknown[]) =>
    names.includes(to) ? names : names.flatMap((one) => (one === from ? [from, to] : [one]))
  const where = rule.value.where.map((one: unknown) => {
    if (!isObject(one) || one.property !== 'tag') return one
    const { operator, value } = one
    if (operator === 'in' || operator === 'notIn') {
      if (Array.isArray(value)) return { ...one, value: withBoth(value) }
      const names = typeof value === 'string' ? splitList(value).map((name) => name.trim()) : []
      return names.includes(from) ? { ...one, value: joinList(withBoth(names) as string[]) } : one
    }
    const isOfIt = value === from && (operator === '=' || operator === '!=')
    return isOfIt ? { ...one, property: 'tagId', value: Number(id) } : one
  })
  return { ...rule, value: { ...rule.value, where } }
}

/** The name that a rule has for a tag, which may be a number, as `readText` has it. */
const textOf = (item: unknown) => (isText(item) ? readText({ value: item, pointer: '' }) : undefined)
const isText = (item: unknown) => ['string', 'number', 'boolean'].includes(typeof item) || JSON.isRawJSON(item)

/** Definitions without the text have no such rule. */
type Following = { text: string; pointer: string; rename: (rule: RewrittenRule) => RewrittenRule }

async function follow(tx: Transaction, caller: Caller, { text, pointer, rename }: Following): Promise<void> {
  const { workspaceId } = caller
  await lockSegments(tx, workspaceId)
  const before = await segmentsWith(tx, workspaceId, text)
  const changed = before
    .map(({ id, name, definition }) => ({ id, name, definition: rewritten(definition, rename) }))
    .filter(({ definition }, n) => definition !== before[n]!.definition)
  if (changed.length === 0) return
  const tooLong = changed.find(({ definition }) => definition.length > DEFINITION_CHARS_MAX)
  if (tooLong) {
    const detail = `is so long that the definition of the segment “${tooLong.name}” (${tooLong.id}) would have no room for it`
    throw unprocessable([{ pointer, detail }])
  }
  const after = await updateDefinitions(tx, workspaceId, changed)
  const former = new Map(before.map((segment) => [segment.id, segment]))
  await Promise.all(
    after.map((segment) =>
      recordSegment(tx, caller, { verb: 'update', before: former.get(segment.id)!, after: segment }),
    ),
  )
}
