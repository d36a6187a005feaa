import type { SimulationReport } from '../../server/modules/automations/simulate/schemas.ts'

const DAYS = ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22']

/** What a replay of a week may tell of the automation of the rows: everything that the page can show. */
export function replayReport(contactId: string): SimulationReport {
  const path = [
    ['', 'entered', 'rest'],
    ['rest', 'to', 'bought'],
    ['bought', 'late', 'remind'],
    ['remind', 'to', 'sort'],
    ['sort', 'else', 'warm'],
    ['warm', 'to', null],
  ] as const
  const steps = path.map(([node, way, next], n) => ({ node, way, next, leftAt: `2026-11-1${n + 1}T08:12:00Z` }))
  const trace = { contactId, entryKey: '', enteredAt: '2026-11-11T08:12:00Z' }
  return {
    ...{ isPartial: false, peopleCut: 3, notReplayed: ['date', 'manual'] },
    draft: outcome(1_204, [31, 62, 54, 80, 71, 44, 29]),
    live: outcome(1_310, [40, 71, 66, 92, 84, 51, 33]),
    compared: {
      more: { people: 14, examples: [{ contactId, draft: 2, live: 1 }] },
      less: { people: 80, examples: [{ contactId, draft: 0, live: 1 }] },
      other: { people: 3, examples: [{ contactId, draft: 1, live: 1 }] },
      same: { people: 354, examples: [] },
    },
    others: [
      { kind: 'broadcast', id: '1', name: 'November news', people: 212, mails: 260, withinDay: 48 },
      { kind: 'automation', id: '2', name: null, people: 12, mails: 12, withinDay: 0 },
    ],
    perWeek: { p50: 1, p95: 3, max: 6 },
    traces: [
      { runs: 371, ...trace, end: 'completed', steps },
      { runs: 402, ...trace, entryKey: 'a', end: null, steps: steps.slice(0, 2) },
    ],
  }
}

function outcome(entered: number, mails: readonly number[]): SimulationReport['draft'] {
  const total = mails.reduce((sum, n) => sum + n, 0)
  const node = (name: string, came: number, ways: Record<string, number>, skipped: Record<string, number> = {}) => ({
    ...{ node: name, entered: came, mails: name === 'remind' ? total : 0, notices: 0 },
    ways: Object.entries(ways).map(([way, count]) => ({ way, count })),
    skipped: Object.entries(skipped).map(([reason, count]) => ({ reason, count })),
  })
  return {
    ...{ people: entered - 20, entered, inside: 402, goals: 61, goalValue: 2_904.5 },
    refused: [
      { reason: 'mode', count: 88 },
      { reason: 'filter', count: 31 },
    ],
    ended: [
      { end: 'completed', count: 790 },
      { end: 'exited:unsubscribed', count: 12 },
    ],
    nodes: [
      node('', 0, { entered }),
      node('rest', entered, { to: 1_100 }),
      node('bought', 1_100, { 0: 205, late: 390 }),
      node('remind', 390, { to: total, skipped: 390 - total }, { suppressed: 11, unsubscribed_everything: 8 }),
      node('sort', 595, { 0: 205, else: 390 }),
    ],
    mails: {
      ...{ total, people: total - 9 },
      days: DAYS.map((day, n) => ({ day, count: mails[n]! })),
      perPerson: { p50: 0, p95: 1, max: 2 },
      held: [
        { reason: 'quiet_hours', count: 61 },
        { reason: 'frequency_cap', count: 8 },
      ],
      waiting: 3,
    },
    assumed: { decisions: 45, people: 41, on: [{ what: 'custom:plan', count: 45 }] },
  }
}
