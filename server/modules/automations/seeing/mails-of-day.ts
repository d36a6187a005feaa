import { DAY_MS } from '../../../platform/durations.ts'
import { type Definition, isDated, type Target, type WaitNode } from '../definition/definition.ts'
import { MAILS_MAX, soonestMails, surestMails } from '../definition/mails-ahead.ts'

/** Mails within 24 hours; `atMost` is infinite where people may go in a circle as often as they like. */
export type Mails = { atLeast: number; atMost: number }

export const NO_MAILS: Mails = { atLeast: 0, atMost: 0 }

/** How many mails one person of a version gets within 24 hours, by where they are. */
export type MailsOfDay = {
  /** Of whoever comes to a node now. */
  comes(to: Target): Mails
  /** Of whoever rests there, for so long; null: for more than the day. Of one whose rest is over since, the clock stands there yet. */
  rests(node: string, forMs: number | null): Mails
  /** Of whoever stands there and may go on at any moment, or not at all. */
  stands(node: string): Mails
}

/**
 * `overdueMs`: how long ago the rest was over of those who have waited longest for it to be noticed. `shortestDayMs`: of the
 * calendar, from then on.
 */
type Clocks = { overdueMs?: number; shortestDayMs: number }

export function mailsOfDay({ nodes }: Definition, { overdueMs = 0, shortestDayMs }: Clocks): MailsOfDay {
  const surest = surestMails(nodes)
  const kept = new Map<string, number[]>()
  const soonest = (from: readonly Target[]): number[] => {
    const key = JSON.stringify(from)
    const moments = kept.get(key) ?? soonestMails(nodes, from, { untilMs: DAY_MS + overdueMs, shortestDayMs })
    kept.set(key, moments)
    return moments
  }
  return {
    comes: (to) => ({ atLeast: within(surest([to])), atMost: most(soonest([to])) }),
    rests(id, forMs) {
      const node = nodes[id]
      if (node?.type !== 'delay' && node?.type !== 'wait') return this.stands(id)
      const open = node.type === 'wait' ? node.for.filter((way) => !isDated(way)).map(({ to }) => to) : []
      const atOnce = most(soonest(open))
      if (forMs === null) return { atLeast: 0, atMost: atOnce }
      const timed = node.type === 'wait' ? timedWays(node) : [node.to]
      const leftMs = DAY_MS - forMs
      return {
        atLeast: within(surest([...open, ...timed]), Math.min(leftMs, DAY_MS)),
        atMost: Math.max(atOnce, most(soonest(timed), leftMs)),
      }
    },
    stands(id) {
      const node = nodes[id]
      const from =
        node?.type === 'delay'
          ? [node.to]
          : node?.type === 'wait'
            ? node.for.map(({ to }) => to).concat(node.late)
            : [id]
      return { atLeast: 0, atMost: most(soonest(from), DAY_MS + overdueMs) }
    },
  }
}

const timedWays = (node: WaitNode): Target[] => [...node.for.filter(isDated).map(({ to }) => to), node.late]

const within = (moments: readonly number[], ms = DAY_MS) => moments.filter((moment) => moment <= ms).length

function most(moments: readonly number[], ms = DAY_MS): number {
  const count = within(moments, ms)
  return count === MAILS_MAX ? Number.POSITIVE_INFINITY : count
}

export function plusMails(one: Mails, other: Mails, people = 1): Mails {
  if (people <= 0) return one
  return { atLeast: one.atLeast + other.atLeast * people, atMost: one.atMost + (other.atMost && other.atMost * people) }
}
