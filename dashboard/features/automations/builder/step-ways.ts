import { flowOf, waysOf } from '../flow.ts'
import { list } from '../flow-node.ts'
import { blockOf, changeStep, type Definition, nodesOf, type StepJson, withoutUnreached } from './edit-flow.ts'

/** Parts of a split are counted in ten-thousandths. */
export const SHARES = 10_000

/** What a step's ways are listed under; undefined for one that has none of its own. */
function keyOf({ type }: StepJson): 'for' | 'ways' | undefined {
  if (type === 'wait') return 'for'
  return type === 'branch' || type === 'split' ? 'ways' : undefined
}

export function waysListed(step: StepJson): Record<string, unknown>[] {
  const key = keyOf(step)
  return key === undefined ? [] : list(step[key])
}

function withWays(definition: Definition, id: string, ways: readonly StepJson[]): Definition {
  const step = nodesOf(definition)[id] ?? {}
  const key = keyOf(step)
  if (key === undefined) return definition
  const shared = step.type === 'split' && ways.length !== waysListed(step).length ? evenly(ways) : ways
  return withoutUnreached(changeStep(definition, id, { [key]: shared }))
}

/** A way more, before the last resort; it leads where the step's ways come together. */
export function addWay(definition: Definition, id: string): Definition {
  const step = nodesOf(definition)[id] ?? {}
  const to = blockOf(definition, id).next
  return withWays(definition, id, [...waysListed(step), { ...newWay(step.type), to }])
}

function newWay(type: unknown): StepJson {
  if (type === 'wait') return { event: '' }
  return type === 'split' ? { weight: 0 } : { if: newRule() }
}

export const newRule = () => ({ combinator: 'and', rules: [{ field: 'tag', operator: 'has', value: '' }] })

/** Takes a way out with all that only it leads to. The parts of a split that are left share evenly. */
export function removeWay(definition: Definition, id: string, at: number): Definition {
  return withWays(
    definition,
    id,
    waysListed(nodesOf(definition)[id] ?? {}).filter((_, index) => index !== at),
  )
}

export function changeWay(definition: Definition, id: string, at: number, change: StepJson): Definition {
  const ways = waysListed(nodesOf(definition)[id] ?? {}).map((way, index) => {
    const changed = Object.entries({ ...way, ...change }).filter(([, value]) => value !== undefined)
    return index === at ? Object.fromEntries(changed) : way
  })
  return withWays(definition, id, ways)
}

/** Ways are asked one after the other: moves one up (-1) or down (1). */
export function shiftWay(definition: Definition, id: string, at: number, by: -1 | 1): Definition {
  const ways = waysListed(nodesOf(definition)[id] ?? {})
  const [one, other] = [ways[at], ways[at + by]]
  if (one === undefined || other === undefined) return definition
  return withWays(
    definition,
    id,
    ways.map((way, index) => (index === at ? other : index === at + by ? one : way)),
  )
}

function evenly(ways: readonly StepJson[]): StepJson[] {
  const part = Math.floor(SHARES / Math.max(1, ways.length))
  return ways.map((way, at) => ({ ...way, weight: at === 0 ? SHARES - part * (ways.length - 1) : part }))
}

/** Ways out of a step, by their names. */
export function waysOut(definition: Definition, id: string): { way: string; to: string }[] {
  const node = flowOf(definition).nodes.get(id)
  return node === undefined ? [] : waysOf(node)
}
