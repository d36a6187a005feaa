import type { Acts } from './acts.ts'
import type { Doer } from './doer.ts'
import { idOf, keep } from './slots.ts'
import { ADDRESSES, soon } from './world.ts'

const EMAILS_MAX = 10
const KEYS = ['receipt', 'welcome']
/** Seconds that a mail by a template is put off for. */
const LATER = [1, 2, 5]
/** Items of a batch that are no mails, or none that may go out. */
const BAD_ITEMS = [
  { destination: 'nobody', subject: 'Your receipt', text: 'Thank you.' },
  { destination: ADDRESSES[0], templateKey: 'unknown' },
  { destination: ADDRESSES[0], subject: 'Your receipt' },
  { destination: ADDRESSES[0], subject: 'Your receipt', text: 'Thank you.', fromEmail: 'news@elsewhere.example' },
  'no mail',
]

const of = (who: Doer) => `/templates/${idOf(who, 'templates')}`
/** Each version says something that no other one says. */
const version = (who: Doer) => ({ subject: `Letter ${Math.floor(who.random() * 1e9)}` })
const mail = (who: Doer) => ({
  destination: who.pick(ADDRESSES),
  ...who.pick<object>([{ templateId: idOf(who, 'templates') }, { templateKey: who.pick(KEYS) }]),
  ...(who.chance(40) ? { scheduledAt: soon(who.pick(LATER)) } : {}),
  ...(who.chance(20) ? { fromEmail: 'letters@second.example' } : {}),
  variables: { order: Math.floor(who.random() * 1e9) },
})

/** Mail by templates, now and later, beside changes of the templates and of who sends. */
export const templateActs: Acts = {
  createTemplate: {
    weight: 3,
    run: async (who) => {
      const key = who.chance(50) ? { key: who.pick(KEYS) } : {}
      const body = { name: 'Letter', ...key, ...version(who), body: '<p>Order {{ order }}</p>' }
      return keep(who, 'templates', { answer: await who.call('POST', '/templates', body), max: 2 })
    },
  },
  changeLetter: { weight: 4, run: (who) => who.call('PATCH', of(who), version(who)) },
  restoreLetter: { weight: 1, run: (who) => who.call('POST', `${of(who)}/versions/${who.pick([1, 2, 3])}/restore`) },
  deleteTemplate: { weight: 1, run: (who) => who.call('DELETE', of(who)) },
  mailByTemplate: {
    weight: 8,
    run: async (who) => keep(who, 'emails', { answer: await who.call('POST', '/emails', mail(who)), max: EMAILS_MAX }),
  },
  mailManyByTemplate: {
    weight: 3,
    run: (who) => {
      const emails = Array.from({ length: 6 }, () => (who.chance(30) ? who.pick(BAD_ITEMS) : mail(who)))
      return who.call('POST', '/emails/batch', { emails })
    },
  },
  cancelLetter: { weight: 3, run: (who) => who.call('POST', `/emails/${idOf(who, 'emails')}/cancel`) },
  changeSender: {
    weight: 1,
    run: (who) =>
      who.call('PATCH', `/integrations/${who.world.integrationId}`, {
        config: { fromName: who.pick(['News', 'Shop', null]) },
      }),
  },
  // With the server that all goes through by itself goes what it was: mail waits until there is another.
  replaceServer: {
    weight: 1,
    run: async (who) => {
      const id = idOf(who, 'servers')
      // Turns hold what they send through, one behind the other: one that is switched off is held by nobody new.
      await who.call('PATCH', `/integrations/${id}`, { enabled: false })
      await who.call('DELETE', `/integrations/${id}`)
      const body = { name: 'second', config: who.world.server, isDefault: who.chance(50) }
      keep(who, 'servers', { answer: await who.call('POST', '/integrations', body), max: 1 })
    },
  },
  chooseServer: {
    weight: 2,
    run: (who) => {
      const id = who.chance(70) ? who.world.integrationId : idOf(who, 'servers')
      return who.call('PATCH', `/integrations/${id}`, { isDefault: true })
    },
  },
  replaceDomain: {
    weight: 1,
    run: async (who) => {
      await who.call('DELETE', `/sending-domains/${idOf(who, 'domains')}`)
      const answer = await who.call('POST', '/sending-domains', { domain: 'second.example' })
      keep(who, 'domains', { answer, max: 1 })
      if (answer.status < 300) await who.world.instance.sql('update sending_domain_keys set verified_at = now()')
    },
  },
}
