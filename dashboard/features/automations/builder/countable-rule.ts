import { type GroupNode, isBare, isFinished, isGroup, type TreeNode } from '../../segments/rule-tree.ts'
import { list, text } from '../flow-node.ts'

/** Days back in which those are counted who did something. */
export const COUNTED_DAYS = 30

/** Questions that only somebody's own way through the automation answers. */
const isOfRun = (field: string) => field === 'clicked' || field.startsWith('event.') || field.startsWith('var.')

/**
 * The part of a rule that everybody can be asked beforehand. `isWhole`: nothing is left out. Undefined: nothing of it can, or it is not
 * finished. A question is left out only where that makes the rule wider.
 */
export function countablePart(rule: GroupNode): { part: GroupNode; isWhole: boolean } | undefined {
  if (!asksOfRun(rule)) return isFinished(rule) ? { part: rule, isWhole: true } : undefined
  if (rule.combinator !== 'and' || rule.not === true) return undefined
  const part = { ...rule, rules: rule.rules.filter((node) => !asksOfRun(node)) }
  return part.rules.length > 0 && isFinished(part) ? { part, isWhole: false } : undefined
}

/** Whether a rule, or one within it, asks what a run alone knows. */
export function asksOfRun(node: TreeNode): boolean {
  return isGroup(node) ? node.rules.some(asksOfRun) : isOfRun(node.field)
}

/** The rule of everybody who did an event of late, with its conditions; undefined while it is not finished. */
export function ruleOfEvent(value: Readonly<Record<string, unknown>>): GroupNode | undefined {
  const name = text(value.event).trim()
  const where = list(value.where)
  const isDone = where.every(
    ({ property, operator, value: compared }) =>
      text(property).trim() !== '' &&
      (isBare(text(operator)) || text(compared).trim() !== '' || Array.isArray(compared)),
  )
  if (name === '' || !isDone) return undefined
  const minProof = text(value.minProof)
  const did = {
    ...{ atLeast: 1, withinLastDays: COUNTED_DAYS },
    ...(where.length > 0 ? { where } : {}),
    ...(minProof === '' ? {} : { minProof }),
  }
  return { combinator: 'and', rules: [{ field: `event:${name}`, operator: 'performed', value: did }] }
}

/** The rule of everybody who is in a segment; undefined while none is chosen. */
export function ruleOfSegment(segment: unknown): GroupNode | undefined {
  const id = text(segment)
  return id === '' ? undefined : { combinator: 'and', rules: [{ field: 'segment', operator: 'has', value: id }] }
}
