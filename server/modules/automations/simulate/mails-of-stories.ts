import type { Definition, EmailNode } from '../definition/definition.ts'
import type { Story } from '../run/model/follow.ts'
import type { Effect } from '../run/model/model-run.ts'
import { later } from '../run/model/model-time.ts'
import { type Fate, type Holding, holdMails } from './hold-mails.ts'

type Mail = Extract<Effect, { kind: 'mail' }>
/** A mail as its run made it, and what became of it. */
export type HeldMail = Mail & Fate

/** The mails of all runs of somebody, in their order, with what quiet hours and the cap have made of them; only marketing heeds these. */
export function mailsOf(
  stories: readonly Story[],
  { definition, ...holding }: Holding & { definition: Definition },
): HeldMail[] {
  const { restraints } = holding
  const zone = holding.zone ?? definition.defaultZone
  const mails = stories
    .flatMap(({ run, steps, effects }) => {
      const leavesAt = run.end?.state === 'exited' ? steps.at(-1)!.leftAt : Number.POSITIVE_INFINITY
      return effects.flatMap((one) => (one.kind === 'mail' ? [{ ...one, leavesAt }] : []))
    })
    .sort((one, other) => one.at - other.at)
  const isHeld = definition.class === 'marketing' && (restraints.quietHours ?? restraints.frequencyCap) !== null
  if (!isHeld) return mails.map((mail) => ({ ...mail, sentAt: mail.at, skipped: null, heldFor: [] }))
  const queued = mails.map((mail) => {
    const { notLaterThan } = definition.nodes[mail.node] as EmailNode
    return { ...mail, notAfter: notLaterThan === null ? Number.POSITIVE_INFINITY : later(mail.at, notLaterThan, zone) }
  })
  return holdMails(queued, holding)
}
