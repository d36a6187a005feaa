import type { Acts } from './acts.ts'
import type { Doer } from './doer.ts'
import { ADDRESSES, LINKED, STAY, SUBJECTS, VIEW } from './world.ts'

const VISITORS = Array.from({ length: 4 }, (_, n) => `crowd-visitor-${n}000000`)
const visitor = (who: Doer) => who.pick(VISITORS)
/** Visitors whom nobody forgets, of people whom nobody erases: all that they do stays. */
const STAYERS = Array.from({ length: 5 }, (_, n) => `crowd-stayer-${n}00000000`)

/** Events of a visitor, or of a browser that nobody recognises, now and then more than once; answers how many were taken. */
async function view(who: Doer, visitorId: string | null, action: string): Promise<number> {
  const events = Array.from({ length: who.pick([1, 1, 3]) }, () => ({ id: `${who.random()}`, action }))
  const sent = who.chance(20) ? [...events, events[0]] : events
  const body = { sentAt: new Date().toISOString(), consent: 'granted', visitorId, events: sent }
  const answers = await Promise.all(Array.from({ length: who.pick([1, 2]) }, () => who.collect('/events', body)))
  return answers.some(({ status }) => status < 300) ? events.length : 0
}

/** Says who a visitor is: by what the shop has signed, or by the page's own word. */
async function signIn(who: Doer, visitorId: string, claims: { email?: string; sub?: string; traits?: object }) {
  const { email, sub: subjectId } = claims
  if (email === undefined && subjectId === undefined) return
  const word = { ...(email === undefined ? {} : { email }), ...(subjectId === undefined ? {} : { subjectId }) }
  const said = who.chance(70) ? { token: who.world.sign(claims) } : word
  await who.collect('/identify', { visitorId, consent: 'granted', ...said })
}

export const browserActs: Acts = {
  view: {
    weight: 3,
    run: async (who) => {
      const taken = await view(who, null, VIEW)
      who.world.viewed.events += taken
    },
  },
  viewAs: { weight: 4, run: (who) => view(who, visitor(who), 'crowd.seen') },
  stay: {
    weight: 5,
    run: async (who) => {
      const taken = await view(who, who.pick(STAYERS), STAY)
      who.world.viewed.ofLinked += taken
    },
  },
  link: {
    weight: 3,
    run: (who) => signIn(who, who.pick(STAYERS), { email: who.pick(LINKED) }),
  },
  signIn: {
    weight: 3,
    run: (who) =>
      signIn(who, visitor(who), {
        ...(who.chance(70) ? { email: who.pick(ADDRESSES) } : {}),
        ...(who.chance(50) ? { sub: who.pick(SUBJECTS) } : { traits: { firstName: 'Emmy' } }),
      }),
  },
  mergeLinked: {
    weight: 1,
    run: async (who) => {
      const [one, other] = await Promise.all(LINKED.slice(0, 2).map((email) => who.call('PUT', '/contacts', { email })))
      await who.call('POST', `/contacts/${one!.json.id}/merge`, { contactId: other!.json.id })
    },
  },
  claim: {
    weight: 3,
    run: (who) =>
      who.collect('/identify', {
        visitorId: visitor(who),
        consent: 'granted',
        email: who.pick(ADDRESSES),
        traits: { firstName: 'Ada' },
      }),
  },
  allowTracking: {
    run: (who) => who.collect('/consent', { visitorId: visitor(who), state: who.pick(['granted', 'denied']) }),
  },
  forgetVisitor: { weight: 1, run: (who) => who.collect('/forget', { visitorId: visitor(who) }) },
}
