import type { Transaction } from '../../platform/db/transaction.ts'
import { forgetJobs } from '../../platform/jobs/forget-jobs.ts'
import { unpark } from '../../platform/outbox/parked.ts'
import { eraseApprovals } from '../approvals/erase-approvals.ts'
import { eraseBulkFilters } from '../bulk-acts/erase-bulk-filters.ts'
import { eraseCopies } from '../emails/erase-copies.ts'
import { eraseEmails } from '../emails/erase-emails.ts'
import {
  attachedEvents,
  eraseFound,
  eventsInLog,
  type FoundEvents,
  looseEvents,
  type Persons,
} from '../events/erase-events.ts'
import { forgetClientIdsNaming } from '../events/forget-client-ids.ts'
import { type Merged, moveEvents, moveLogRows } from '../events/move-events.ts'
import { eraseFeedback } from '../feedback/erase-feedback.ts'
import { forgetAnswers, forgetShownAnswers } from '../idempotency/forget-answers.ts'
import { discardFiles, eraseExportFilters, eraseImportErrors } from '../imports/erase-from-files.ts'
import { clearSome } from '../imports/stored-files.ts'
import { eraseCaughtMails } from '../mailbox/erase-caught-mails.ts'
import { discardMoves } from '../moving/manage-moves.ts'
import { eraseMessages, eraseRecognisedMessages, type MessageKey } from '../sending/ledger/erase-messages.ts'
import { moveMessages } from '../sending/ledger/move-messages.ts'
import { eraseHits } from '../tracking/message-hits.ts'
import { eraseDeliveries, holdRecoveries, rewriteDeliveries } from '../webhooks/erase-deliveries.ts'
import {
  BEGINNING,
  type Erased,
  filesHeldAt,
  type Mark,
  type Members,
  type Merge,
  type Stage,
  type Sweep,
} from './sweep-queries.ts'

/** The people, where a step begins, and how many rows it may look at. */
type At = { workspaceId: string; members: Members; sweep: Sweep; rows: number }
/** How far a step came; with `waits` it is to be repeated once others have ended what they do. */
export type Came = Partial<Mark> & { waits?: boolean }
/** Does the next of a stage and returns how far that came, undefined at the stage's end. */
type Step = (tx: Transaction, at: At) => Promise<Came | undefined>

/** Each stage with the most rows that one of its steps takes, of which the size is then learnt. */
export const STEPS: Readonly<Record<Stage, { rowsMax: number; step: Step }>> = {
  mail: { rowsMax: 1_000, step: sweepMail },
  recognised_mail: { rowsMax: 20_000, step: sweepRecognisedMail },
  log: { rowsMax: 20_000, step: sweepLog },
  events: { rowsMax: 1_000, step: sweepAttachedEvents },
  messages: { rowsMax: 1_000, step: sweepMessages },
  copies: { rowsMax: 10_000, step: sweepCopies },
  loose: { rowsMax: 20_000, step: sweepLooseEvents },
  jobs: { rowsMax: 2_000, step: sweepJobs },
  answers: { rowsMax: 10_000, step: sweepAnswers },
  files: { rowsMax: 64, step: sweepFiles },
  failed_rows: { rowsMax: 5_000, step: sweepFailedRows },
  traces: { rowsMax: 1, step: sweepTraces },
  client_ids: { rowsMax: 10_000, step: sweepClientIds },
}

/** People whose own rows one step looks for: each look-up is repeated until there is nothing left of them. */
const PEOPLE_AT_ONCE = 10

function personsOf(workspaceId: string, erased: readonly Erased[]): Persons {
  return {
    workspaceId,
    contactIds: erased.flatMap(({ contactIds }) => contactIds),
    aliasHashes: erased.flatMap(({ aliasHashes }) => aliasHashes),
  }
}

function mergedOf(workspaceId: string, merges: readonly Merge[]): Merged {
  return {
    workspaceId,
    mergedIds: merges.map(({ mergedId }) => mergedId),
    survivorIds: merges.map(({ survivorId }) => survivorId),
  }
}

/** The next few people, and the mark behind them; none at the end. */
function nextPeople({ members, sweep: { after } }: At) {
  const erased = members.erased.filter(({ id }) => BigInt(id) > BigInt(after.tx)).slice(0, PEOPLE_AT_ONCE)
  const merges = members.merges.filter((one) => BigInt(one.mergedId) > BigInt(after.position)).slice(0, PEOPLE_AT_ONCE)
  if (erased.length + merges.length === 0) return undefined
  const behind = { tx: erased.at(-1)?.id ?? after.tx, position: merges.at(-1)?.mergedId ?? after.position }
  return { erased, merges, behind }
}

const spelled = (members: Members, ...kinds: (keyof Erased['aliases'])[]) =>
  members.erased.flatMap(({ aliases }) => kinds.flatMap((kind) => aliases[kind] ?? []))

/** Takes events that were found out of a table, with their deliveries. Nothing is written when there are none. */
async function takeOut(tx: Transaction, persons: Persons, events: FoundEvents): Promise<void> {
  const { workspaceId } = persons
  if (events.found.length === 0) return
  await holdRecoveries(tx, workspaceId)
  const { eventIds, unnamedIds } = await eraseFound(tx, persons, events)
  if (events.table === 'outbox' || events.found.some((row) => row.tx !== null)) await unpark(tx, eventIds)
  await eraseDeliveries(tx, workspaceId, eventIds)
  if (events.table === 'events') await rewriteDeliveries(tx, workspaceId, unnamedIds)
}

/** Messages to them: the ledger keeps its rows, without address, content and whatever came back. Those in hand are waited for. */
async function sweepMail(tx: Transaction, at: At): Promise<Came | undefined> {
  const people = nextPeople(at)
  if (!people) return undefined
  const { isDone, isBusy } = await eraseMailOf(tx, at, people.erased)
  return isDone ? people.behind : { ...at.sweep.after, waits: isBusy }
}

async function eraseMailOf(tx: Transaction, { workspaceId, rows }: At, erased: readonly Erased[]) {
  const theirs = erased.map(({ contactIds, aliases, askedAt }) => ({
    contactIds,
    destination: aliases.email?.toLowerCase() ?? null,
    until: askedAt,
  }))
  const mail = await eraseMessages(tx, workspaceId, { theirs, rows })
  await eraseAround(tx, workspaceId, mail.erased)
  const isDone = mail.erased.length === 0 && !mail.isBusy
  return { isDone, isBusy: mail.erased.length === 0 && mail.isBusy }
}

/** Single messages to addresses that nobody has in the clear any more: of aliases that a merge dropped, and of a journal. */
async function sweepRecognisedMail(tx: Transaction, at: At): Promise<Came | undefined> {
  const { workspaceId, rows } = at
  const { position, text } = at.sweep.after
  const theirs = at.members.erased
    .filter(({ aliases, aliasHashes }) => aliasHashes.length > Object.values(aliases).filter(Boolean).length)
    .map(({ aliasHashes, askedAt }) => ({ aliasHashes, until: askedAt }))
  if (theirs.length === 0) return undefined
  const after = { destination: text, id: position }
  const { erased, isBusy, last } = await eraseRecognisedMessages(tx, workspaceId, { theirs, after, rows })
  await eraseAround(tx, workspaceId, erased)
  if (isBusy) return { ...at.sweep.after, waits: true }
  return last && { position: last.id, text: last.destination }
}

/** The rows beside the ledger that tell of messages. */
async function eraseAround(tx: Transaction, workspaceId: string, messages: readonly MessageKey[]): Promise<void> {
  if (messages.length === 0) return
  const ids = messages.map(({ id }) => id)
  await eraseEmails(tx, workspaceId, messages)
  await eraseHits(tx, workspaceId, ids)
  await eraseFeedback(tx, workspaceId, { messageIds: ids })
  await forgetAnswers(tx, workspaceId, { type: 'email', ids })
}

/** The log: also what is only there, because a group could not handle it and has parked it. */
async function sweepLog(tx: Transaction, { workspaceId, members, sweep, rows }: At) {
  const persons = personsOf(workspaceId, members.erased)
  const { events, last } = await eventsInLog(tx, persons, { after: sweep.after, until: sweep.fence, rows })
  await takeOut(tx, persons, events)
  const stretch = last && { after: sweep.after, until: last }
  if (stretch && members.merges.length > 0) await moveLogRows(tx, mergedOf(workspaceId, members.merges), stretch)
  return last
}

/** Stored events of the contacts themselves, which an index finds. */
async function sweepAttachedEvents(tx: Transaction, at: At) {
  const people = nextPeople(at)
  if (!people) return undefined
  const persons = personsOf(at.workspaceId, people.erased)
  const events = await attachedEvents(tx, persons, { fence: at.sweep.fence, rows: at.rows })
  await takeOut(tx, persons, events)
  const moved = await moveEvents(tx, mergedOf(at.workspaceId, people.merges), at.rows)
  return events.found.length === 0 && moved === 0 ? people.behind : at.sweep.after
}

/** Messages of the merged become the survivors'. Mail of the erased that is found here is of a sweep that an older version began. */
async function sweepMessages(tx: Transaction, at: At): Promise<Came | undefined> {
  const { workspaceId, rows } = at
  const people = nextPeople(at)
  if (!people) return undefined
  const { erased, merges, behind } = people
  const { isDone, isBusy } = await eraseMailOf(tx, at, erased)
  const moved = merges.length === 0 ? 0 : await moveMessages(tx, mergedOf(workspaceId, merges), rows)
  return isDone && moved === 0 ? behind : { ...at.sweep.after, waits: isBusy && moved === 0 }
}

/** Mail to others that went, or is to go, to them as well. */
async function sweepCopies(tx: Transaction, { workspaceId, members, sweep, rows }: At) {
  const theirs = members.erased.map(({ aliasHashes, askedAt }) => ({ aliasHashes, until: askedAt }))
  if (theirs.length === 0) return undefined
  const last = await eraseCopies(tx, workspaceId, { theirs, afterId: sweep.after.position, rows })
  return last === undefined ? undefined : { position: last }
}

/** Stored events of nobody, recorded before the contact was made or under an alias of its alone. */
async function sweepLooseEvents(tx: Transaction, { workspaceId, members, sweep, rows }: At) {
  if (members.erased.length === 0) return undefined
  const persons = personsOf(workspaceId, members.erased)
  const stretch = { afterId: sweep.after.position, throughId: sweep.throughId, rows }
  const { events, last } = await looseEvents(tx, persons, stretch)
  await takeOut(tx, persons, events)
  return last === undefined ? undefined : { position: last }
}

async function sweepJobs(tx: Transaction, { workspaceId, members, sweep, rows }: At) {
  if (members.erased.length === 0) return undefined
  const [subjectId, email, phone] = [
    spelled(members, 'subjectId'),
    spelled(members, 'email'),
    spelled(members, 'phone'),
  ]
  const contactId = members.erased.flatMap(({ contactIds }) => contactIds)
  const fields = { contactId, subjectId, email, phone, destination: [...email, ...phone] }
  const last = await forgetJobs(tx, { payload: { workspaceId }, fields }, { after: sweep.after.text, rows })
  return last === undefined ? undefined : { text: last }
}

/** Answers about them, and those of requests that changed nothing, which may show anybody. */
async function sweepAnswers(tx: Transaction, { workspaceId, members, sweep, rows }: At) {
  if (members.erased.length === 0) return undefined
  const ids = members.erased.flatMap(({ contactIds }) => contactIds)
  if (sweep.after.text === '') await forgetAnswers(tx, workspaceId, { type: 'contact', ids })
  const last = await forgetShownAnswers(tx, workspaceId, { after: sweep.after.text, rows })
  return last === undefined ? undefined : { text: last }
}

async function sweepFiles(tx: Transaction, { workspaceId, members, sweep, rows }: At) {
  if (members.erased.length === 0) return undefined
  if (sweep.after.text === '') {
    const before = await filesHeldAt(tx, workspaceId, members)
    await discardFiles(tx, workspaceId, before)
    await discardMoves(tx, workspaceId, before)
    return { text: 'discarded' }
  }
  return (await clearSome(tx, rows)) ? sweep.after : undefined
}

async function sweepFailedRows(tx: Transaction, { workspaceId, members, sweep, rows }: At) {
  const aliases = inLowerCase(members)
  if (aliases.length === 0) return undefined
  const after = { importId: sweep.after.tx, line: sweep.after.position }
  const last = await eraseImportErrors(tx, workspaceId, { aliases, after, rowsMax: rows })
  return last && { tx: last.importId, position: last.line }
}

/** Few rows each, or found by an index. */
async function sweepTraces(tx: Transaction, at: At) {
  const people = nextPeople(at)
  if (!people) return undefined
  const members = { ...people, merges: [] }
  const addresses = spelled(members, 'email').map((address) => address.toLowerCase())
  await eraseExportFilters(tx, at.workspaceId, inLowerCase(members))
  await eraseBulkFilters(tx, at.workspaceId, inLowerCase(members))
  await eraseCaughtMails(tx, at.workspaceId, addresses)
  await eraseFeedback(tx, at.workspaceId, { addresses })
  await eraseApprovals(
    tx,
    at.workspaceId,
    people.erased.flatMap(({ contactIds }) => contactIds),
  )
  return people.behind
}

async function sweepClientIds(tx: Transaction, { workspaceId, members, sweep, rows }: At) {
  const aliases = spelled(members, 'subjectId', 'email', 'phone')
  if (aliases.length === 0) return undefined
  const last = await forgetClientIdsNaming(tx, workspaceId, { aliases, after: sweep.after.text, rows })
  return last === undefined ? undefined : { text: last }
}

function inLowerCase(members: Members): string[] {
  return spelled(members, 'subjectId', 'email', 'phone').map((alias) => alias.trim().toLowerCase())
}

/** The sweep behind a step of it; undefined when it has ended. */
export function behindStep(sweep: Sweep, came: Came | undefined, next: Stage | undefined): Sweep | undefined {
  if (came !== undefined) {
    const { tx = BEGINNING.tx, position = BEGINNING.position, text = BEGINNING.text } = came
    return { ...sweep, after: { tx, position, text } }
  }
  return next && { ...sweep, stage: next, after: BEGINNING }
}
