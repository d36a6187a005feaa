import { isBeyondIds } from '../../platform/schema/schemas.ts'
import type { Rule, RuleGroup } from './parse-definition.ts'
import { namesOf } from './read-rules.ts'

/** Things of their workspace that definitions name. */
export type References = {
  keys: ReadonlySet<string>
  tags: ReadonlySet<string>
  segmentIds: ReadonlySet<string>
  /** Without zeros before them. */
  topicIds: ReadonlySet<string>
}

const CUSTOM = 'custom:'

/** The custom fields, tags, segments and topics that rule groups name; what is no name is left for `readRules` to refuse. */
export function referencesOf(groups: readonly RuleGroup[]): References {
  const keys = new Set<string>()
  const tags = new Set<string>()
  const segmentIds = new Set<string>()
  const topicIds = new Set<string>()
  const waiting = groups.flatMap((group) => group.rules)
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if ('rules' in node) waiting.push(...node.rules)
    else if (node.field.startsWith(CUSTOM)) keys.add(node.field.slice(CUSTOM.length))
    else if (node.field === 'tag') for (const { text } of namesIn(node)) tags.add(text)
    else if (node.field === 'topic') for (const id of idsIn(node)) topicIds.add(String(BigInt(id)))
    else if (node.field === 'segment') for (const id of idsIn(node)) segmentIds.add(id)
  }
  return { keys, tags, segmentIds, topicIds }
}

function idsIn(rule: Rule): string[] {
  return namesIn(rule).flatMap(({ text }) => (isId(text) ? [text] : []))
}

function namesIn(rule: Rule): { text: string }[] {
  try {
    return namesOf(rule)
  } catch {
    return []
  }
}

function isId(text: string): boolean {
  return /^[0-9]{1,19}$/.test(text) && !isBeyondIds(text)
}
