import { END, flowOf, waysOf } from '../flow.ts'
import { list, record } from '../flow-node.ts'
import { type Edge, FIRST } from '../flow-tree.ts'
import {
  blockOf,
  type Definition,
  edgesOut,
  leadTo,
  nodesOf,
  type StepJson,
  targetOf,
  withoutUnreached,
} from './edit-flow.ts'

/** Steps as they travel by the clipboard, from one automation to another too. */
export type Clip = {
  postroomSteps: 1
  /** Of the automation they are of: in another, ids are others. */
  of: string
  start: string
  nodes: Readonly<Record<string, StepJson>>
}

/** The target of a clip's way that goes on where it is put in; no id may begin so. */
const NEXT = ':next'

/** A step with all that hangs on it alone. Ways that leave it for elsewhere end. */
export function clipOf(definition: Definition, id: string, of: string): Clip {
  const { ids, next } = blockOf(definition, id)
  const nodes = Object.fromEntries(Object.entries(nodesOf(definition)).filter(([one]) => ids.has(one)))
  const alone: Definition = { start: id, nodes }
  const elsewhere = [...flowOf(alone).nodes].flatMap(([from, node]) =>
    waysOf(node).flatMap(({ way, to }) => (ids.has(to) || to === next ? [] : [{ from, way }])),
  )
  const out = edgesOut(definition, { ids, next })
  return { postroomSteps: 1, of, start: id, nodes: nodesOf(leadTo(leadTo(alone, elsewhere, END), out, NEXT)) }
}

/** A clip that somebody has pasted; undefined for any other text. */
export function readClip(pasted: string): Clip | undefined {
  try {
    const { postroomSteps, of, start, nodes } = record(JSON.parse(pasted))
    const isClip = postroomSteps === 1 && typeof start === 'string' && Object.hasOwn(record(nodes), start)
    if (!isClip) return undefined
    const steps = Object.entries(record(nodes)).map(([id, node]) => [id, record(node)] as const)
    return { postroomSteps: 1, of: String(of), start, nodes: Object.fromEntries(steps) }
  } catch {
    return undefined
  }
}

type Pasting = {
  clip: Clip
  /** Of the automation it goes into: there a step that was cut keeps its id, and people their places. */
  of: string
  newId: (type: string) => string
}

/** Puts a clip where these edges lead; answers the id of its first step too. */
export function pasteAt(
  definition: Definition,
  edges: readonly Edge[],
  { clip, of, newId }: Pasting,
): { definition: Definition; id: string } {
  const to = targetOf(definition, edges[0] ?? FIRST)
  const ids = new Map(
    Object.entries(clip.nodes).map(([id, { type }]) => {
      const stays = clip.of === of && !Object.hasOwn(nodesOf(definition), id)
      return [id, stays ? id : newId(String(type))] as const
    }),
  )
  const moved = Object.entries(clip.nodes).map(([id, node]) => [ids.get(id)!, renamed(node, ids)] as const)
  const fresh: Definition = { start: '', nodes: Object.fromEntries(moved) }
  const placed = [...flowOf(fresh).nodes].reduce<Definition>(
    (before, [from, node]) =>
      waysOf(node).reduce(
        (one, { way, to: old }) => leadTo(one, [{ from, way }], old === NEXT ? to : (ids.get(old) ?? END)),
        before,
      ),
    fresh,
  )
  const id = ids.get(clip.start)!
  const grown = { ...definition, nodes: { ...nodesOf(definition), ...nodesOf(placed) } }
  // Steps none of which goes on have nothing behind them.
  return { definition: withoutUnreached(leadTo(grown, edges, id)), id }
}

/** Rules that ask for clicks in a mail that has come along ask for that mail. */
function renamed(node: StepJson, ids: ReadonlyMap<string, string>): StepJson {
  const key = node.type === 'branch' ? 'ways' : node.type === 'wait' ? 'for' : undefined
  if (key === undefined) return node
  return {
    ...node,
    [key]: list(node[key]).map((way) => ('if' in way ? { ...way, if: renamedRule(way.if, ids) } : way)),
  }
}

function renamedRule(rule: unknown, ids: ReadonlyMap<string, string>): unknown {
  const { rules, field, value } = record(rule)
  if (Array.isArray(rules)) return { ...record(rule), rules: rules.map((one) => renamedRule(one, ids)) }
  return field === 'clicked' ? { ...record(rule), value: ids.get(String(value)) ?? value } : rule
}

/** A step once more, behind itself; undefined where nothing goes on behind it. */
export function duplicateStep(
  definition: Definition,
  id: string,
  newId: (type: string) => string,
): { definition: Definition; id: string } | undefined {
  const out = edgesOut(definition, blockOf(definition, id))
  if (out.length === 0) return undefined
  return pasteAt(definition, out, { clip: clipOf(definition, id, ''), of: 'another', newId })
}
