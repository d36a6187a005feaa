import type { Acts } from './acts.ts'
import type { Doer } from './doer.ts'
import { ADDRESSES, VIEW } from './world.ts'

const VISITORS = Array.from({ length: 4 }, (_, n) => `crowd-visitor-${n}000000`)
const visitor = (who: Doer) => who.pick(VISITORS)

/** Events of a visitor, or of a browser that nobody recognises, which are counted. */
async function view(who: Doer, visitorId: string | null) {
  const events = Array.from({ length: who.pick([1, 1, 3]) }, () => ({
    id: `${who.random()}`,
    action: visitorId === null ? VIEW : 'crowd.seen',
  }))
  const body = { sentAt: new Date().toISOString(), consent: 'granted', visitorId, events }
  const answers = await Promise.all(Array.from({ length: who.pick([1, 2]) }, () => who.collect('/events', body)))
  if (visitorId === null && answers.some(({ status }) => status < 300)) who.world.viewed.events += events.length
}

export const browserActs: Acts = {
  view: { weight: 3, run: (who) => view(who, null) },
  viewAs: { weight: 4, run: (who) => view(who, visitor(who)) },
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
