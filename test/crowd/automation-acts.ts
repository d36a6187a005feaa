import type { Acts } from './acts.ts'
import type { Doer } from './doer.ts'
import { idOf, keep } from './slots.ts'
import { ADDRESSES, BOUGHT, CAME, definition, MODES, NOISE, TAGS } from './world.ts'

const of = (who: Doer) => `/automations/${idOf(who, 'automations')}`
function record(who: Doer, event: object) {
  return who.call('POST', '/events', { events: [event] }, { door: 'api' })
}

export const automationActs: Acts = {
  createAutomation: {
    weight: 3,
    run: async (who) => {
      const body = { name: 'Crowd', definition: definition(who.pick(TAGS)) }
      const answer = keep(who, 'automations', { answer: await who.call('POST', '/automations', body), max: 2 })
      if (answer.status < 300) await who.call('POST', `/automations/${answer.json.id}/activate`)
    },
  },
  come: { weight: 10, run: (who) => record(who, { action: CAME, email: who.pick(ADDRESSES) }) },
  buy: {
    weight: 3,
    run: (who) => record(who, { action: BOUGHT, email: who.pick(ADDRESSES), properties: { total: who.pick([5, 7]) } }),
  },
  enroll: {
    weight: 3,
    run: (who) =>
      who.call('POST', `${of(who)}/enroll`, { contactIds: [...new Set([idOf(who, 'people'), idOf(who, 'people')])] }),
  },
  publish: {
    weight: 2,
    run: async (who) => {
      const path = of(who)
      const changed = await who.call('PATCH', path, {
        definition: definition(who.pick(TAGS), who.pick([0, 1, 2]), who.pick(MODES)),
      })
      if (changed.status < 300)
        await who.call('POST', `${path}/publish`, { inside: who.pick(['stay', 'move', 'exit']) })
    },
  },
  askForAutomation: {
    weight: 3,
    run: async (who) => {
      if (who.chance(70)) await who.call('PATCH', of(who), { definition: definition(who.pick(TAGS), who.pick([0, 1])) })
      const body = { act: 'automation', automationId: idOf(who, 'automations') }
      return who.call('POST', '/approvals', body, { door: 'api', token: who.world.agent })
    },
  },
  backfill: {
    weight: 3,
    run: (who) => {
      const pace = who.chance(30) ? { perMinute: 3_000 } : {}
      return who.call('POST', `${of(who)}/backfill`, { days: 1, asOf: who.pick(['now', 'then']), ...pace })
    },
  },
  previewBackfill: { weight: 1, run: (who) => who.call('GET', `${of(who)}/backfill-preview?days=1`) },
  revokeBackfill: { weight: 1, run: (who) => who.call('POST', `${of(who)}/backfill/revoke`) },
  simulate: { weight: 1, run: (who) => who.call('POST', `${of(who)}/simulate`, { days: who.pick([1, 3]) }) },
  pauseAutomation: { weight: 1, run: (who) => who.call('POST', `${of(who)}/pause`) },
  resumeAutomation: {
    weight: 2,
    run: (who) =>
      who.call(
        'POST',
        `${of(who)}/resume`,
        who.pick([{ late: 'shift' }, { late: 'now' }, { late: 'drop', dropAfter: 'PT1S' }]),
      ),
  },
  closeAutomation: { weight: 1, run: (who) => who.call('POST', `${of(who)}/deactivate`) },
  openAutomation: { weight: 2, run: (who) => who.call('POST', `${of(who)}/activate`) },
  stopAutomation: {
    weight: 1,
    run: (who) => (who.chance(30) ? who.call('POST', `${of(who)}/stop`) : Promise.resolve()),
  },
  takeOut: {
    run: async (who) => {
      const path = of(who)
      const { json } = await who.call('GET', `${path}/runs`)
      const run = who.pick((json?.items as { id: string }[]) ?? [])
      if (run) await who.call('POST', `${path}/runs/${run.id}/exit`)
    },
  },
  record: {
    weight: 4,
    run: async (who) => {
      const id = `noise-${who.random()}`
      const event = { action: NOISE, subjectId: 'nobody', id }
      const ways = Array.from({ length: who.pick([1, 1, 2, 3]) }, () => who.pick(WAYS))
      const answers = await Promise.all(ways.map((way) => way(who, event)))
      if (answers.some(({ status }) => status < 300)) who.world.recorded.push(id)
    },
  },
}

/** Ways by which one event may come, once and twice; beside it in a batch are things that are none. */
const WAYS = [
  record,
  (who: Doer, event: object) => who.call('POST', '/events', { events: [event, event] }, { door: 'api' }),
  (who: Doer, event: object) =>
    who.call('POST', '/events/batch', { events: [event, 'nothing', { action: NOISE }, event] }, { door: 'api' }),
]
