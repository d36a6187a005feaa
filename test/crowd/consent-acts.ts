import type { Acts } from './acts.ts'
import type { Doer } from './doer.ts'
import { linkIn } from './mail-sink.ts'
import { idOf, keep } from './slots.ts'
import { ADDRESSES, FORM, TAGS } from './world.ts'

/** Mails among which a reader finds one: of the newest. */
const NEWEST = 30

/** A page that a link of one of the newest mails leads to. */
function link({ world, pick }: Doer, path: string): string | undefined {
  const links = world.sink.mails.slice(-NEWEST).flatMap((mail) => linkIn(mail, path) ?? [])
  return pick(links)
}
async function follow(who: Doer, method: string, path: string): Promise<void> {
  const page = link(who, path)
  if (page !== undefined) await who.visit(method, page)
}
const source = (who: Doer) =>
  who.pick([
    'broadcasts',
    'automations',
    'everything',
    `topic:${idOf(who, 'topics')}`,
    `automation:${idOf(who, 'automations')}`,
  ])
/** The id of one of the first of a list, so that it is a known one. */
async function listed(who: Doer, path: string): Promise<string> {
  const { json } = await who.call('GET', path)
  return who.pick((json.items as { id: string }[]) ?? [])?.id ?? '999999999'
}

export const consentActs: Acts = {
  unsubscribe: {
    weight: 2,
    run: (who) => who.call('POST', '/unsubscribes', { destination: who.pick(ADDRESSES), sendingSource: source(who) }),
  },
  resubscribe: {
    weight: 4,
    run: async (who) => who.call('DELETE', `/unsubscribes/${await listed(who, '/unsubscribes')}`),
  },
  suppress: { weight: 1, run: (who) => who.call('POST', '/suppressions', { destination: who.pick(ADDRESSES) }) },
  unsuppress: {
    weight: 5,
    run: async (who) => who.call('DELETE', `/suppressions/${await listed(who, '/suppressions')}`),
  },
  importSuppressions: {
    weight: 1,
    run: (who) =>
      who.call(
        'POST',
        '/suppressions/import',
        { csv: `email,reason\n${who.pick(ADDRESSES)},manual\n` },
        { door: 'api' },
      ),
  },
  oneClick: { weight: 2, run: (who) => follow(who, 'POST', '/e/u/') },
  open: { run: (who) => follow(who, 'GET', '/e/o/') },
  click: { run: (who) => follow(who, 'GET', '/e/c/') },
  setDoubleOptIn: { weight: 1, run: (who) => who.call('PATCH', '/sending-settings', { doubleOptIn: who.chance(30) }) },
  askConfirmation: { run: (who) => who.call('POST', `/contacts/${idOf(who, 'people')}/confirmation-request`) },
  confirm: { weight: 3, run: (who) => follow(who, 'POST', '/e/s/') },
  subscribeTopic: {
    weight: 3,
    run: (who) =>
      who.call('PUT', `/contacts/${idOf(who, 'people')}/topics/${idOf(who, 'topics')}`, {
        state: who.pick(['subscribed', 'unsubscribed']),
      }),
  },
  createTopic: {
    weight: 1,
    run: async (who) => {
      const body = { name: `t${who.random()}`, subscription: who.pick(['everyone', 'opt_in']) }
      return keep(who, 'topics', { answer: await who.call('POST', '/topics', body), max: 2 })
    },
  },
  deleteTopic: { weight: 1, run: (who) => who.call('DELETE', `/topics/${idOf(who, 'topics')}`) },
  createForm: {
    weight: 1,
    run: async (who) => {
      const body = { ...FORM, tags: [who.pick(TAGS)] }
      return keep(who, 'forms', { answer: await who.call('POST', '/forms', body), max: 1 })
    },
  },
  deleteForm: { weight: 1, run: (who) => who.call('DELETE', `/forms/${idOf(who, 'forms')}`) },
  changeForm: {
    weight: 1,
    run: (who) => who.call('PATCH', `/forms/${idOf(who, 'forms')}`, { tags: [who.pick(TAGS)] }),
  },
  signUp: {
    weight: 3,
    run: (who) =>
      who.call('POST', `/forms/${idOf(who, 'forms')}/submissions`, { fields: { email: who.pick(ADDRESSES) } }),
  },
}
