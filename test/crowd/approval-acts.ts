import type { Acts } from './acts.ts'
import type { Doer, How } from './doer.ts'
import { idOf, keep } from './slots.ts'
import { ASKED_BODY, soon } from './world.ts'

/** Budgets are at most so large. */
export const BUDGET_MAX = { people: 200, peoplePerSend: 60, sends: 30 }

const asked = (who: Doer) => `/broadcasts/${idOf(who, 'asked')}`
const subject = (who: Doer) => `Asked ${Math.floor(who.random() * 1e9)}`
const audience = (who: Doer) => ({
  segmentId: who.chance(50) ? idOf(who, 'segments') : null,
  topicId: who.chance(20) ? idOf(who, 'topics') : null,
})
const NEEDS = { broadcast: 'broadcasts:send', email: 'emails:send', automation: 'automations:activate' } as const
/** By the owner, or by one of those whose rights change. */
function asPerson(who: Doer, act: keyof typeof NEEDS): { how: How; password: string } {
  if (who.chance(50)) return { how: { door: 'site' }, password: who.world.instance.password }
  const holder = who.pick(who.world.members)
  return { how: { door: 'site', as: { holder, needs: NEEDS[act] } }, password: holder.password }
}
const decide = (verb: 'approve' | 'reject', weight: number): Acts => ({
  [verb]: {
    weight,
    run: async (who) => {
      const { json } = await who.call('GET', '/approvals?pageSize=40')
      const items = (json?.items ?? []) as { id: string; status: string; act: keyof typeof NEEDS }[]
      const waiting = items.filter(({ status }) => status === 'waiting')
      const one = who.pick(waiting.length > 0 && who.chance(90) ? waiting : items)
      if (one === undefined) return
      const { how, password } = asPerson(who, one.act)
      const body = verb === 'approve' && one.act === 'automation' ? { password } : undefined
      await who.call('POST', `/approvals/${one.id}/${verb}`, body, how)
    },
  },
})
const steer = (verb: string, weight: number): Acts => ({
  [`${verb}Asked`]: { weight, run: (who) => who.call('POST', `${asked(who)}/${verb}`) },
})

/** A program asks for broadcasts and mails that nobody may send but by saying yes to it: no other act sends them. */
export const approvalActs: Acts = {
  draftToAsk: {
    weight: 7,
    run: async (who) => {
      const draft = { name: 'Asked', subject: subject(who), body: ASKED_BODY, ...audience(who) }
      return keep(who, 'asked', { answer: await who.call('POST', '/broadcasts', draft), max: 3 })
    },
  },
  changeAsked: {
    weight: 2,
    run: (who) => who.call('PATCH', asked(who), who.pick<object>([{ subject: subject(who) }, audience(who)])),
  },
  ask: {
    weight: 9,
    run: async (who) => {
      const at = who.chance(30) ? { at: soon(who.pick([1, 5])) } : {}
      const broadcastId = idOf(who, 'asked')
      const body = { act: 'broadcast', broadcastId, ...at }
      const { status } = await who.call('POST', '/approvals', body, { door: 'api', token: who.world.agent })
      const { asked } = who.world.things
      // It is no draft any more.
      if (status === 409 && who.chance(30) && asked.includes(broadcastId)) asked.splice(asked.indexOf(broadcastId), 1)
    },
  },
  askForMail: {
    weight: 3,
    run: (who) => {
      const body = { act: 'email', templateId: who.world.templateId, contactId: idOf(who, 'people') }
      return who.call('POST', '/approvals', body, { door: 'api', token: who.world.agent })
    },
  },
  ...decide('approve', 9),
  ...decide('reject', 2),
  changeTemplate: {
    weight: 2,
    run: (who) => who.call('PATCH', `/templates/${who.world.templateId}`, { subject: `Version ${who.random()}` }),
  },
  setBudget: {
    weight: 1,
    run: (who) => {
      const { people, peoplePerSend, sends } = BUDGET_MAX
      const limits = {
        recipientsPerSend: who.pick([6, peoplePerSend]),
        recipientsPerDay: who.pick([20, people]),
        sendsPerDay: who.pick([3, sends]),
      }
      const body = who.chance(40) ? { mode: 'budget', budget: limits } : { mode: 'approve' }
      return who.call('PUT', `/tokens/${who.world.agentId}/send-policy`, body, { door: 'site' })
    },
  },
  ...steer('unschedule', 1),
  ...steer('cancel', 1),
  ...steer('pause', 1),
  ...steer('resume', 2),
}
