import { assertNever } from '../../../platform/assert-never.ts'
import {
  asks,
  type BranchNode,
  type DelayNode,
  type Node,
  type SplitNode,
  type WaitNode,
  wayPast,
} from '../definition/definition.ts'
import { shareOf } from '../definition/share-of.ts'
import type { Micros } from '../micros.ts'
import { applyTagsOf } from './apply-tags-of.ts'
import { askAtWait, askRuns, seenBy } from './ask-runs.ts'
import { callEndpoint } from './call-endpoint.ts'
import { laterOf } from './change-version.ts'
import { firstEnd } from './dates-of-runs.ts'
import { noteNotices } from './note-notices.ts'
import { planMails } from './plan-mails.ts'
import { emitEvent, enrollElsewhere, leaveElsewhere, setFields } from './reach-out.ts'
import { listens } from './rest.ts'
import { nodeOf, type Run, TIMER_POSITION } from './run-state.ts'
import { setVariables } from './set-variables.ts'
import { exit, leave, STRETCH_VISITS_MAX, setClock, type TurnContext, VISITS_MAX } from './turn-context.ts'

/** How much a stretch took; whether a single run heard of something in it, how far it came, and the visit before which it is to end. */
export type Trail = {
  taken?: number
  hears?: boolean
  from?: number
  at?: number
  stopBefore?: number | undefined
  /** Of each contact the moment of what it was taken up for; after a pause it may be long before that of its runs. */
  takenFor?: Readonly<Record<string, Micros>>
  /** Visits of a run in it at most. */
  visitsMax?: number | undefined
}

/** A transaction that is open holds the log back from all its readers: what is left then is for the next stretch. */
const STRETCH_MS_MAX = 300

/**
 * Takes runs on from node to node, all that stand at one node together, until each waits, has ended, or has gone so far
 * that the rest is for the next turn.
 */
export async function walk(context: TurnContext, runs: readonly Run[], trail: Trail = {}): Promise<void> {
  const startedMs = performance.now()
  const isTimeLeft = (visits: number) => visits === 0 || performance.now() - startedMs < STRETCH_MS_MAX
  const isGoing = (run: Run) => run.end === null && run.state === 'ready' && run.visit !== trail.stopBefore
  const { visitsMax = STRETCH_VISITS_MAX } = trail
  let going = runs.filter(isGoing)
  for (let visits = 0; visits < visitsMax && going.length > 0 && isTimeLeft(visits); visits++) {
    for (const group of Map.groupBy(going, ({ version, node }) => `${version}/${node}`).values()) {
      trail.at = group[0]!.visit
      await visitNode(context, nodeOf(context, group[0]!), group)
    }
    going = going.filter(isGoing)
  }
  for (const run of runs) {
    if (run.end !== null || run.state !== 'ready') continue
    // The node it stands before fails: what ends it is looked for before that is tried again, for it may be parked there.
    const isStopped = run.visit === trail.stopBefore
    // Steps take no time: what is left of them comes before all else that is due of its contact, as it does within one stretch.
    const { [run.contactId]: taken = run.at } = trail.takenFor ?? {}
    run.timer = { dueAt: isStopped ? run.at : taken - 1n, looks: isStopped && mustLook(context, run) }
  }
}

/** Whether what a run listens to, wherever it stands, may have happened before it could be told. */
const mustLook = ({ definitions }: TurnContext, run: Run) => !run.looked && listens(definitions.get(run.version)!)

async function visitNode(context: TurnContext, node: Node, group: readonly Run[]): Promise<void> {
  const runs = group.filter((run) => {
    if (run.visit > VISITS_MAX) exit(context, run, { reason: 'loop' })
    else if (run.visit === run.skipVisit) leave(context, run, { ...wayPast(node), seen: { skipped: 'by_hand' } })
    else if (context.halted.has(run.node)) gather(context, run)
    else return true
    return false
  })
  if (runs.length === 0) return
  switch (node.type) {
    case 'email':
      return planMails(context, node, runs)
    case 'delay':
    case 'wait':
      return rest(context, node, runs)
    case 'branch':
      return branch(context, node, runs)
    case 'split':
      for (const run of runs) leave(context, run, splitWay(run, node))
      return
    case 'notify':
      return noteNotices(context, node, runs)
    case 'set':
      return setVariables(context, node, runs)
    case 'goal':
      for (const run of runs) {
        run.reached ||= run.goalAt === null
        run.goalAt ??= run.at
        leave(context, run, { way: 'to', to: node.to })
      }
      return
    case 'end':
      for (const run of runs) leave(context, run, { way: 'end', to: 'end' })
      return
    default:
      await reachOut(context, node, runs)
      for (const run of runs) leave(context, run, { way: 'to', to: node.to })
  }
}

/** Has a run stand before a node that is halted, untried. */
function gather(context: TurnContext, run: Run): void {
  run.state = 'parked'
  if (mustLook(context, run)) run.timer = { dueAt: run.at, looks: true }
  run.error = 'Its node is halted, for too many have failed there: it was not tried.'
}

type Outward = Extract<Node, { type: 'tag' | 'field' | 'emit' | 'webhook' | 'enroll' | 'leave' }>

/** Does what a node does to its people, or elsewhere. */
async function reachOut(context: TurnContext, node: Outward, runs: readonly Run[]): Promise<void> {
  switch (node.type) {
    case 'tag':
      return applyTagsOf(context, node, runs)
    case 'field':
      return setFields(context, node, runs)
    case 'emit':
      return emitEvent(context, node, runs)
    case 'webhook':
      return callEndpoint(context, node, runs)
    case 'enroll':
      return enrollElsewhere(context, node.automation, runs)
    case 'leave':
      return leaveElsewhere(context, node.automation, runs)
    default:
      assertNever(node)
  }
}

/** Each goes by the first way whose rule holds. */
async function branch(context: TurnContext, node: BranchNode, runs: readonly Run[]): Promise<void> {
  const answers = await askRuns(context, runs, node.ways)
  const values = await seenBy(context, runs, node.ways)
  for (const run of runs) {
    const { n, holds } = answers.get(run)!
    const [way, to] = n === undefined ? ['else', node.else] : [String(n), node.ways[n]!.to]
    leave(context, run, { way, to, seen: { holds, ...values.get(run) } })
  }
}

/** Has runs rest at a node, unless what they would wait for holds already. */
async function rest(context: TurnContext, node: DelayNode | WaitNode, runs: readonly Run[]): Promise<void> {
  // Somebody who comes along at rest has the clock of that rest: what is open to them is so as of the publishing.
  const asOf = (run: Run) => laterOf(run.at, context.moved.get(run) ?? run.at)
  const answers = asks(node) ? await askAtWait(context, { node, runs, asOf }) : undefined
  for (const run of runs) {
    const { open, moments } = answers?.get(run) ?? {}
    if (open) {
      if (asOf(run) > run.at) setClock(run, asOf(run), TIMER_POSITION)
      leave(context, run, open)
      continue
    }
    run.state = 'waiting'
    const hasToLook = node.type === 'wait' || mustLook(context, run)
    run.timer = { dueAt: firstEnd(run, node, moments), looks: hasToLook }
  }
}

/** The way of a person at a split: always the same one. */
function splitWay({ node, contactId }: Run, { ways }: SplitNode): { way: string; to: string; seen: { share: number } } {
  const share = shareOf(`split/${node}`, contactId)
  let bound = 0
  for (const [n, { weight, to }] of ways.entries()) {
    bound += weight
    if (share < bound) return { way: String(n), to, seen: { share } }
  }
  throw new Error('the weights of a split do not add up')
}
