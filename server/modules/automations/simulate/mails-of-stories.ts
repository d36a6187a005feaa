import type { Definition, EmailNode } from '../definition/definition.ts'
import { PRIORITY_NAMES } from '../definition/read-definition.ts'
import type { Story } from '../run/model/follow.ts'
import type { Effect, Micros } from '../run/model/model-run.ts'
import { later } from '../run/model/model-time.ts'
import { type Fate, type Holding, holdMails, type Queued } from './hold-mails.ts'

type Mail = Extract<Effect, { kind: 'mail' }>
/** A mail as its run made it, and what became of it. */
export type HeldMail = Mail & Fate
/** Marketing mail of something else that is due to the person, and heeds quiet hours and the cap as that of the automation does. */
export type OtherMail = { at: Micros; priority: Definition['priority'] }

export type Mailing = Holding & {
  definition: Definition
  /** Why the automation mails them no more at a moment. */
  refusalAt: (at: Micros) => string | undefined
  others?: readonly OtherMail[]
}

const NEVER = Number.POSITIVE_INFINITY

/**
 * The mails of all runs of somebody, in their order, with what quiet hours and the cap have made of them beside the mail of others; only
 * marketing heeds these. Of one moment that of others is the older.
 */
export function mailsOf(
  stories: readonly Story[],
  { definition, refusalAt, others = [], ...holding }: Mailing,
): HeldMail[] {
  const { restraints } = holding
  const mails = stories
    .flatMap(({ run, steps, effects }) => {
      const leavesAt = run.end?.state === 'exited' ? steps.at(-1)!.leftAt : NEVER
      return effects.flatMap((one) => (one.kind === 'mail' ? [{ mail: one, leavesAt }] : []))
    })
    .sort((one, other) => one.mail.at - other.mail.at)
  const isHeld = definition.class === 'marketing' && (restraints.quietHours ?? restraints.frequencyCap) !== null
  if (!isHeld) return mails.map(({ mail }) => ({ ...mail, sentAt: mail.at, skipped: null, heldFor: [] }))
  const zone = holding.zone ?? definition.defaultZone
  const own = mails.map(({ mail, leavesAt }): Queued & { mail: Mail } => {
    const { notLaterThan } = definition.nodes[mail.node] as EmailNode
    return {
      ...{ mail, at: mail.at, priority: PRIORITY_NAMES.indexOf(definition.priority) },
      notAfter: notLaterThan === null ? NEVER : later(mail.at, notLaterThan, zone),
      // Whether it may go at once was asked when it was made.
      refusalAt: (at) => (at === mail.at ? undefined : leavesAt <= at ? 'run_ended' : refusalAt(at)),
    }
  })
  const theirs = others.map(({ at, priority }) => ({
    ...{ at, priority: PRIORITY_NAMES.indexOf(priority), notAfter: NEVER, refusalAt: () => undefined },
  }))
  const queued: (Queued & { mail?: Mail })[] = [...theirs, ...own]
  return holdMails(
    queued.toSorted((one, other) => one.at - other.at),
    holding,
  ).flatMap(({ mail, sentAt, skipped, heldFor }) => (mail === undefined ? [] : [{ ...mail, sentAt, skipped, heldFor }]))
}
