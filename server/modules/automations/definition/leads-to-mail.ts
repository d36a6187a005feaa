import { type Definition, END, isDated, type Target } from './definition.ts'

/** Whether somebody whose timer ends at a node is mailed next, whoever they are: no decision and no rest lies between. */
export function timerLeadsToMail({ nodes }: Definition, id: string): boolean {
  const node = nodes[id]
  if (node?.type === 'wait') {
    return [node.late, ...node.for.filter(isDated).map(({ to }) => to)].every((to) => leadsToMail(nodes, to))
  }
  return node?.type === 'delay' && leadsToMail(nodes, node.to)
}

/** The same for somebody who comes to a node. No circle is without a rest. */
export function leadsToMail(nodes: Definition['nodes'], id: Target): boolean {
  const node = id === END ? undefined : nodes[id]
  switch (node?.type) {
    case 'email':
      return true
    case 'tag':
    case 'field':
    case 'emit':
    case 'webhook':
    case 'notify':
    case 'set':
    case 'enroll':
    case 'leave':
    case 'goal':
      return leadsToMail(nodes, node.to)
    default:
      return false
  }
}
