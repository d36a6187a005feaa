/** Imports as a graph, each edge with one place that makes it. */
export type Graph = ReadonlyMap<string, ReadonlyMap<string, string>>
/** A way round, its first member repeated at the end, and the places that make it. */
export type Cycle = { members: string[]; at: string[] }

/** One shortest cycle for each edge that lies on one and is not part of a cycle already found. */
export function cyclesOf(graph: Graph): Cycle[] {
  const cycles: Cycle[] = []
  const seen = new Set<string>()
  for (const [from, edges] of graph) {
    for (const to of edges.keys()) {
      const back = seen.has(`${from} ${to}`) ? undefined : shortestWay(graph, to, from)
      if (back === undefined) continue
      const members = [from, ...back]
      const steps = members.slice(0, -1).map((member, index) => [member, members[index + 1]!] as const)
      for (const [a, b] of steps) seen.add(`${a} ${b}`)
      cycles.push({ members, at: steps.map(([a, b]) => graph.get(a)!.get(b)!) })
    }
  }
  return cycles
}

/** The members from `start` to `goal`, both included; breadth first. */
function shortestWay(graph: Graph, start: string, goal: string): string[] | undefined {
  const cameFrom = new Map<string, string | undefined>([[start, undefined]])
  for (const member of cameFrom.keys()) {
    if (member === goal) return wayTo(cameFrom, goal)
    for (const next of graph.get(member)?.keys() ?? []) if (!cameFrom.has(next)) cameFrom.set(next, member)
  }
  return undefined
}

function wayTo(cameFrom: ReadonlyMap<string, string | undefined>, goal: string): string[] {
  const way: string[] = []
  for (let at: string | undefined = goal; at !== undefined; at = cameFrom.get(at)) way.unshift(at)
  return way
}
