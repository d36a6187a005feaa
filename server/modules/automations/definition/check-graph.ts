import { type Definition, END, isHeard, type Node, rulesOfNode, type Target, waysOf } from './definition.ts'
import { EDGES_MAX, LOOP_MS_MIN } from './limits.ts'
import { escaped, type Reading } from './reading.ts'
import { leavesOf, readRunRule } from './run-rules.ts'
import { spanMsMin } from './spans.ts'

/**
 * That every way leads to a node there is, that every node is reached, and that nobody can go in a circle without a rest:
 * each way back leads through a node that holds everybody at least for LOOP_MS_MIN.
 */
export function checkGraph(reading: Reading, definition: Definition): void {
  const { nodes, start } = definition
  const known = (id: string) => id === END || Object.hasOwn(nodes, id)
  if (!known(start)) reading.fault('/definition/start', unknown(start))
  let edges = 0
  for (const [id, node] of Object.entries(nodes)) {
    for (const { to, pointer } of waysOf(node)) {
      edges++
      if (!known(to)) reading.fault(`/definition/nodes/${escaped(id)}${pointer}`, unknown(to))
    }
  }
  if (edges > EDGES_MAX)
    reading.fault('/definition/nodes', `must have at most ${EDGES_MAX} ways in all; it has ${edges}`)
  checkClicks(reading, nodes)
  for (const id of Object.keys(definition.layout)) {
    if (!known(id)) reading.fault(`/definition/layout/${escaped(id)}`, unknown(id))
  }
  if (reading.faults.length > 0) return
  for (const id of unreached(definition)) {
    reading.fault(`/definition/nodes/${escaped(id)}`, 'is reached by no way: lead one to it, or remove it')
  }
  const circle = circleIn(nodes)
  if (circle) {
    const detail = `goes in a circle without a rest (${circle.join(' → ')}): put a delay of at least a minute into it`
    reading.fault(`/definition/nodes/${escaped(circle[0]!)}`, detail)
  }
}

const unknown = (id: string) => `names the node “${id}”, which there is not; "${END}" ends the run`

function unreached({ nodes, start }: Definition): string[] {
  const reached = new Set<string>()
  const waiting = [start]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (id === END || reached.has(id)) continue
    reached.add(id)
    waiting.push(...waysOf(nodes[id]!).map(({ to }) => to))
  }
  return Object.keys(nodes).filter((id) => !reached.has(id))
}

/**
 * The ways out of a node by which somebody may leave it at once. An event ends a wait only when it comes after its beginning; what
 * a wait asks for may hold by then.
 */
function waysAtOnce(node: Node): readonly Target[] {
  if (node.type === 'delay' && spanMsMin(node.span) >= LOOP_MS_MIN) return []
  if (node.type !== 'wait' || spanMsMin(node.timeout) < LOOP_MS_MIN) return waysOf(node).map(({ to }) => to)
  return node.for.filter((way) => !isHeard(way)).map(({ to }) => to)
}

/** Ids of nodes that lead back to the first of them without a rest; undefined when there are none. */
function circleIn(nodes: Readonly<Record<string, Node>>): string[] | undefined {
  const done = new Set<string>()
  for (const first of Object.keys(nodes)) {
    const path: { id: string; next: string[] }[] = [{ id: first, next: next(first) }]
    while (path.length > 0) {
      const top = path.at(-1)!
      const id = top.next.pop()
      if (id === undefined) {
        done.add(top.id)
        path.pop()
        continue
      }
      const at = path.findIndex((step) => step.id === id)
      if (at !== -1) return [...path.slice(at).map((step) => step.id), id]
      if (!done.has(id)) path.push({ id, next: next(id) })
    }
  }
  return undefined

  function next(id: string): string[] {
    return done.has(id) ? [] : waysAtOnce(nodes[id]!).filter((to) => to !== END)
  }
}

/** Rules may ask for clicks in mails of this automation only. */
function checkClicks(reading: Reading, nodes: Readonly<Record<string, Node>>): void {
  for (const [id, node] of Object.entries(nodes)) {
    for (const { pointer: place, text } of rulesOfNode(node)) {
      const { rule } = readRunRule(text)
      for (const leaf of leavesOf(rule)) {
        if (leaf.kind !== 'clicked' || nodes[leaf.node]?.type === 'email') continue
        const pointer = leaf.pointer.replace('/definition', `/definition/nodes/${escaped(id)}${place}`)
        reading.fault(`${pointer}/value`, `names the node “${leaf.node}”, which is no email`)
      }
    }
  }
}
