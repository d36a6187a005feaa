import type { Acts } from './acts.ts'
import type { Doer } from './doer.ts'
import { idOf, keep } from './slots.ts'
import { ADDRESSES, BOUGHT, CAME, definition, NOISE, TAGS } from './world.ts'

const of = (who: Doer) => `/automations/${idOf(who, 'automations')}`
const record = (who: Doer, event: object) => who.call('POST', '/events', { events: [event] }, { door: 'api' })

export const automationActs: Acts = {
  createAutomation: {
    weight: 1,
    run: async (who) => {
      const body = { name: 'Crowd', definition: definition(who.pick(TAGS)) }
      const answer = keep(who, 'automations', { answer: await who.call('POST', '/automations', body), max: 1 })
      if (answer.status < 300) await who.call('POST', `/automations/${answer.json.id}/activate`)
    },
  },
  come: { weight: 10, run: (who) => record(who, { action: CAME, email: who.pick(ADDRESSES) }) },
  buy: { weight: 2, run: (who) => record(who, { action: BOUGHT, email: who.pick(ADDRESSES) }) },
  enroll: {
    weight: 3,
    run: (who) =>
      who.call('POST', `${of(who)}/enroll`, { contactIds: [...new Set([idOf(who, 'people'), idOf(who, 'people')])] }),
  },
  publish: {
    weight: 2,
    run: async (who) => {
      const path = of(who)
      const changed = await who.call('PATCH', path, { definition: definition(who.pick(TAGS), who.pick([0, 1])) })
      if (changed.status < 300)
        await who.call('POST', `${path}/publish`, { inside: who.pick(['stay', 'move', 'exit']) })
    },
  },
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
      const answers = await Promise.all(Array.from({ length: who.pick([1, 1, 2]) }, () => record(who, event)))
      if (answers.some(({ status }) => status < 300)) who.world.recorded.push(id)
    },
  },
}
