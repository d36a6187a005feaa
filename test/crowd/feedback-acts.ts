import type { Acts } from './acts.ts'
import type { Doer } from './doer.ts'
import { idOfMail } from './mail-sink.ts'
import { ADDRESSES } from './world.ts'

/** Mails of which one comes back: of the newest. */
const NEWEST = 30
/** Of a hundred reports so many name no message, so many another address than its own, and so many are told twice at once. */
const PERCENT = { withoutMessage: 30, ofAnother: 10, twice: 20 }

/** What is said to the hook of a relay: of a mail that its server took and that came back, or was called spam. */
export const feedbackActs: Acts = {
  comesBack: {
    weight: 5,
    run: (who) => tellOf(who, { type: 'bounce', bounceKind: who.pick(['permanent', 'transient']) }),
  },
  isCalledSpam: { weight: 2, run: (who) => tellOf(who, { type: 'complaint' }) },
}

async function tellOf(who: Doer, what: object): Promise<void> {
  const mail = who.pick(who.world.sink.mails.slice(-NEWEST))
  if (mail === undefined) return
  const email = who.chance(PERCENT.ofAnother) ? who.pick(ADDRESSES) : mail.to
  const named = who.chance(PERCENT.withoutMessage) ? {} : { messageId: idOfMail(mail) }
  await who.feedBack([{ ...what, ...named, email, detail: 'the crowd says so' }], who.chance(PERCENT.twice) ? 2 : 1)
}
