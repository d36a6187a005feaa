import type { Acts } from './acts.ts'
import type { Doer } from './doer.ts'
import { idOf, keep } from './slots.ts'
import { ADDRESSES, soon } from './world.ts'

const EMAILS_MAX = 10

const receipt = (who: Doer) => ({ destination: who.pick(ADDRESSES), subject: 'Your receipt', text: 'Thank you.' })
const audience = (who: Doer) => ({
  segmentId: who.chance(30) ? idOf(who, 'segments') : null,
  topicId: who.chance(30) ? idOf(who, 'topics') : null,
})
const act = (verb: string, weight = 2): Acts => ({
  [`${verb}Broadcast`]: { weight, run: (who) => who.call('POST', `/broadcasts/${idOf(who, 'broadcasts')}/${verb}`) },
})

export const mailActs: Acts = {
  mail: {
    weight: 3,
    run: async (who) =>
      keep(who, 'emails', { answer: await who.call('POST', '/emails', receipt(who)), max: EMAILS_MAX }),
  },
  mailLater: {
    run: async (who) => {
      const answer = await who.call('POST', '/emails', { ...receipt(who), scheduledAt: soon() })
      return keep(who, 'emails', { answer, max: EMAILS_MAX })
    },
  },
  mailMany: { run: (who) => who.call('POST', '/emails/batch', { emails: [receipt(who), receipt(who)] }) },
  cancelMail: { run: (who) => who.call('POST', `/emails/${idOf(who, 'emails')}/cancel`) },
  createBroadcast: {
    weight: 4,
    run: async (who) => {
      const body =
        '<p>Hello {{ first_name }}. <a href="https://shop.example/">Look</a> <a href="{{ unsubscribe_url }}">Out</a></p>'
      const draft = { name: 'News', subject: 'News', body, ...audience(who) }
      return keep(who, 'broadcasts', { answer: await who.call('POST', '/broadcasts', draft), max: 2 })
    },
  },
  changeBroadcast: { run: (who) => who.call('PATCH', `/broadcasts/${idOf(who, 'broadcasts')}`, audience(who)) },
  deleteBroadcast: { weight: 1, run: (who) => who.call('DELETE', `/broadcasts/${idOf(who, 'broadcasts')}`) },
  scheduleBroadcast: {
    run: (who) => who.call('POST', `/broadcasts/${idOf(who, 'broadcasts')}/schedule`, { scheduledAt: soon() }),
  },
  limitSending: {
    weight: 1,
    run: (who) =>
      who.call('PATCH', `/integrations/${who.world.integrationId}`, { maxPerSecond: who.pick([null, 50, 500]) }),
  },
  ...act('send', 6),
  ...act('unschedule', 1),
  ...act('pause', 3),
  ...act('resume', 3),
  ...act('cancel', 1),
  ...act('retry-failed', 1),
  resolveBroadcast: {
    weight: 4,
    run: async (who) => {
      const { json } = await who.call('GET', '/broadcasts?pageSize=30')
      const items = (json?.items ?? []) as { id: string; counts: { uncertainCount: number } }[]
      const open = who.pick(items.filter(({ counts }) => counts.uncertainCount > 0))
      if (open) await who.call('POST', `/broadcasts/${open.id}/resolve-uncertain`, { as: who.pick(['sent', 'retry']) })
    },
  },
  resolveMail: {
    weight: 4,
    run: async (who) => {
      const { json } = await who.call('GET', '/emails?status=uncertain')
      const open = who.pick((json?.items as { id: string }[]) ?? [])
      if (open) await who.call('POST', `/emails/${open.id}/resolve`, { as: who.pick(['sent', 'retry']) })
    },
  },
}
