import type { Proof } from '../../../../catalogue/proofs.ts'
import { DAY_MS } from '../../../../platform/durations.ts'
import { asks, type Definition } from '../../definition/definition.ts'
import { advance, begin, endForLeaving, endForRestart } from './advance.ts'
import { type Entered, type Refusal, verdict } from './enter.ts'
import type { Advance, Data, Effect, Interpreted, Micros, ModelRun, ModelStep } from './model-run.ts'

const DAY_MICROS: Micros = DAY_MS * 1_000

/** An event of a contact; without a name somebody has put them in by hand, or a date or schedule has. */
export type Happening = {
  at: Micros
  position: number
  name: string | null
  data: Data | null
  depth: number
  /** Of events of browsers alone. */
  proof?: Proof | null
  /** By hand: the key that was given. */
  key?: string
  /** Of a date or a schedule: the key of what has come. */
  occurrence?: string
  /** Another automation, or this one, has them leave. */
  leaves?: true
  /** Of what came in a pause that is over: the version in force when it happened, and whether the entry was closed. */
  heardBy?: Definition
  isClosed?: boolean
}

/** A run with all that has become of it, and the version it is in. */
export type Story = {
  of: Interpreted
  run: ModelRun
  steps: ModelStep[]
  effects: Effect[]
  apart?: Apart | undefined
  /** Deeds, by their positions, of those who became one with its contact, from before they did: waits that begin anew alone look for them. */
  others?: ReadonlySet<number> | undefined
}

/** Deeds of a pause, by their positions, of somebody whom a merge has made one with its contact since; and where it stood then. */
export type Apart = { positions: ReadonlySet<number>; visit: number }

/** A happening, which may be one of a pause, or of somebody else then. */
type Heard = Happening & { isPaused?: boolean; isApart?: boolean }

/** All that one automation knows of one contact. Runs are in the order of their entries. */
export type Followed = {
  stories: Story[]
  /** All that was brought about, in order. */
  effects: Effect[]
  ledger: Map<string, Entered>
  refusals: { at: Micros; reason: Refusal; entryKey: string }[]
  isOpen: boolean
  /** The end of a pause that put everything off. */
  resumedAt: Micros | null
}

export const nobodyYet = (): Followed => {
  return { stories: [], effects: [], ledger: new Map(), refusals: [], isOpen: true, resumedAt: null }
}

/**
 * Follows one contact through an automation, whose version in force is `of`: every happening until `until`, in order, and every timer at its time. At one
 * moment events come before timers, and an event ends or wakes those inside before it brings anybody in.
 */
export function follow(of: Interpreted, followed: Followed, { happenings, until }: FollowedUntil): void {
  for (const happening of inOrder(happenings)) {
    fireTimers(followed, happening.at - 1)
    happen(of, followed, happening)
  }
  fireTimers(followed, until)
}

export const inOrder = (happenings: readonly Happening[]) =>
  [...happenings].sort((one, other) => one.at - other.at || one.position - other.position)

export type FollowedUntil = { happenings: readonly Happening[]; until: Micros }

/** Fires what is due by then, the earliest first. */
export function fireTimers(followed: Followed, until: Micros): void {
  for (;;) {
    const due = liveOf(followed).filter(({ run }) => run.dueAt !== null && run.dueAt <= until)
    if (due.length === 0) return
    const first = due.reduce((least, one) => (one.run.dueAt! < least.run.dueAt! ? one : least))
    note(followed, first, advance(first.of, first.run, { kind: 'timer', at: first.run.dueAt! }))
  }
}

/** Asks everybody for whom what they wait for holds by then; the first to go on may change that for the next. */
export function checkWaits(followed: Followed, at: Micros): void {
  for (const story of liveOf(followed)) {
    const checked = advance(story.of, story.run, { kind: 'check', at })
    if (checked.steps.length > 0 || checked.run.dueAt !== story.run.dueAt) note(followed, story, checked)
  }
}

/** Lets time pass until a moment: timers fire, and where somebody may wait for what no event tells, it is asked each day. */
export function passTime(of: Interpreted, followed: Followed, { from, until }: { from: Micros; until: Micros }): void {
  if (Object.values(of.definition.nodes).some(asks)) {
    for (let day = (Math.floor(from / DAY_MICROS) + 1) * DAY_MICROS; day <= until; day += DAY_MICROS) {
      if (liveOf(followed).length === 0) return
      fireTimers(followed, day)
      checkWaits(followed, day)
    }
  }
  fireTimers(followed, until)
}

function happen(of: Interpreted, followed: Followed, happening: Happening): void {
  if (happening.leaves) {
    letLeave(followed, happening)
    return
  }
  for (const story of liveOf(followed)) {
    const isApart = story.apart?.positions.has(happening.position) === true
    // A wait that began since the merge looks for all that its contact did, and so for this.
    if (isApart && story.run.visit === story.apart!.visit) continue
    hear(followed, story, isApart ? { ...happening, isApart } : happening)
  }
  letIn(of, followed, happening)
}

/**
 * During a pause what happens counts as a goal, or ends those inside, at once; nobody else goes on or comes in. Once it is over all of it
 * is followed anew.
 */
export function followPaused(followed: Followed, happenings: readonly Happening[]): void {
  for (const happening of inOrder(happenings)) {
    if (happening.leaves) letLeave(followed, happening)
    for (const story of liveOf(followed)) hear(followed, story, { ...happening, isPaused: true })
  }
}

/** Ends all that somebody has begun by a moment. */
function letLeave(followed: Followed, { at }: Happening): void {
  for (const story of liveOf(followed)) {
    if (story.run.enteredAt <= at) note(followed, story, endForLeaving(story.of, story.run, at))
  }
}

/** Puts everything off by a pause that is over. */
export function shift(followed: Followed, { pausedAt, resumedAt }: { pausedAt: Micros; resumedAt: Micros }): void {
  for (const story of liveOf(followed)) {
    note(followed, story, advance(story.of, story.run, { kind: 'shift', pausedAt, took: resumedAt - pausedAt }))
  }
  followed.resumedAt = resumedAt
}

/** Has the rests of runs end by the time zone that the facts have by now. */
export function reckonAnew(followed: Followed, stories: readonly Story[], at: Micros): void {
  for (const story of stories) note(followed, story, advance(story.of, story.run, { kind: 'zone', at }))
}

/** Has somebody inside hear what has happened, now or before they were there to hear it. */
export function hear(followed: Followed, story: Story, { name, data, ...happening }: Heard): void {
  if (name === null) return
  note(followed, story, advance(story.of, story.run, { ...happening, kind: 'event', name, data: data ?? {} }))
}

/** A wish to come in; of an event of the past with its own moment, and since when mail goes out. */
export type Wish = Happening & { recordedAt?: Micros; mailFrom?: Micros | undefined }

/** Lets somebody in or refuses them, if the automation listens to that at all. */
export function letIn(of: Interpreted, followed: Followed, wish: Wish): Story | undefined {
  const { at, position, data, mailFrom } = wish
  const live = liveOf(followed).map(({ run }) => run)
  const answer = verdict(of, { live, ledger: followed.ledger, isOpen: followed.isOpen }, wish)
  if (answer === undefined) return undefined
  const { entryKey } = answer
  if (answer.outcome === 'refused') {
    followed.refusals.push({ at, reason: answer.reason, entryKey })
    return undefined
  }
  for (const replaced of liveOf(followed).filter(({ run }) => answer.replaces.includes(run))) {
    note(followed, replaced, endForRestart(replaced.of, replaced.run, wish))
  }
  const begun = begin(of, { at, position, entryKey, trigger: data, mailFrom, resumedAt: followed.resumedAt })
  const story: Story = { of, run: begun.run, steps: [], effects: [] }
  followed.stories.push(story)
  note(followed, story, begun)
  followed.ledger.set(entryKey, { entries: (followed.ledger.get(entryKey)?.entries ?? 0) + 1, enteredAt: at })
  return story
}

export const liveOf = ({ stories }: Followed) => stories.filter(({ run }) => run.state !== 'ended')

export function note(followed: Followed, story: Story, { run, steps, effects }: Advance): void {
  story.run = run
  story.steps.push(...steps)
  story.effects.push(...effects)
  followed.effects.push(...effects)
}
