import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beyondBudget } from './beyond-budget.ts'

const BUDGET = { recipientsPerSend: 100, recipientsPerDay: 150, sendsPerDay: 3, segmentIds: null, hours: null }
const ASKED = { act: 'broadcast' as const, recipientsCount: 100, scheduledAt: null, plan: { segments: [] } }
const NOON = Date.parse('2026-11-23T12:00:00Z')
const judge = ({ budget = {}, spent = {}, asked = {} }: { budget?: object; spent?: object; asked?: object }) =>
  beyondBudget({
    budget: { ...BUDGET, ...budget },
    spent: { recipients: 50, sends: 2, ...spent },
    asked: { ...ASKED, ...asked },
    now: NOON,
  })
const of = (...ids: string[]) => ({ plan: { segments: ids.map((id) => ({ id, name: '', definition: '' })) } })

test('the last person and the last send of a budget are within it, and one more is not', () => {
  assert.equal(judge({}), undefined)
  assert.match(judge({ asked: { recipientsCount: 101 } })!, /has 101 people, and the budget has 100 a send/)
  assert.match(judge({ spent: { recipients: 51 } })!, /of 150 in 24 hours 51 are spent/)
  assert.match(judge({ spent: { sends: 3 } })!, /All 3 sends/)
  assert.match(judge({ asked: { act: 'automation', recipientsCount: 0 } })!, /Nobody can tell/)
})

test('a mail to one contact is within it at once, and at a time to come it is not, as nothing judges it again then', () => {
  const mail = { act: 'email', recipientsCount: 1 }
  assert.equal(judge({ asked: mail }), undefined)
  assert.match(judge({ asked: { ...mail, scheduledAt: '2026-11-24T08:00:00Z' } })!, /for a person to decide/)
})

test('hours are those of their zone, at the time it goes out', () => {
  const hours = { from: '09:00', until: '13:00', zone: 'Europe/Berlin' }
  assert.match(judge({ budget: { hours } })!, /outside of 09:00 to 13:00/)
  assert.equal(judge({ budget: { hours }, asked: { scheduledAt: '2026-11-24T08:00:00Z' } }), undefined)
  assert.match(judge({ budget: { hours }, asked: { scheduledAt: '2026-11-24T07:59:59Z' } })!, /outside/)
  assert.equal(judge({ budget: { hours: { ...hours, from: '13:00', until: '09:00' } } }), undefined)
})

test('an audience is of the segments of the budget, every one of them', () => {
  const budget = { segmentIds: ['1', '2'] }
  assert.equal(judge({ budget, asked: of('1', '2') }), undefined)
  assert.match(judge({ budget, asked: of('1', '3') })!, /a segment that the budget does not have/)
  assert.match(judge({ budget, asked: of() })!, /goes to everybody/)
  assert.match(judge({ budget, asked: { act: 'email', recipientsCount: 1 } })!, /one contact/)
})
