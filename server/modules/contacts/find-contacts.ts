import type pg from 'pg'
import { int8Array, textArray } from '../../platform/db/arrays.ts'
import { databaseOutcome } from '../../platform/db/errors.ts'
import { withQueryTimeout } from '../../platform/db/query-timeout.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { contactsThatFit, type FilterDeps, type IdStretch } from './list-contacts.ts'
import { type FoundChunk, foundChunksStatement, stretchEndStatement } from './list-queries.ts'
import type { ContactFilter } from './schemas.ts'

export type { FoundChunk } from './list-queries.ts'

/** The server ends a statement in time; if even that is not answered, the database is away. */
const ANSWER_MS = 5_000
/** The longest that one statement looks, as long as a request's may; and the contacts it looks at. */
const STRETCH = { msMax: 1_900, contactsMax: 100_000, contactsMin: 1_000 }
/** A stretch that did not end in its time is tried again with so many times fewer contacts. */
const SHRINK = 10
/** A stretch that took less than this part of its time is followed by one twice as large. */
const QUICK = 0.25
/** Chunks that one statement notes: of 2,000 contacts each some 15 ms of the processor, far below its limit on a busy machine. */
const NOTED_MAX = 50

export type FindDeps = FilterDeps & {
  pool: pg.Pool
  /** Instead of STRETCH. */
  stretch?: typeof STRETCH
}
export type Finding = {
  workspaceId: string
  /** Reads the filter, as it is at that moment: a tag in it may have been renamed since it was asked for. */
  readFilter: (tx: Transaction) => Promise<ContactFilter>
  chunkMax: number
}

/**
 * The contacts that fit a filter, in chunks, ascending by id: all as they are at one moment, the begin of the work. They are
 * found by stretches of ids, each by a statement of its own that the server ends in time, within one snapshot. It writes
 * nothing, so that nobody's events wait for it. Throws 422 for a segment that is not there, and an error when even the
 * smallest stretch takes too long.
 */
export async function findContacts(deps: FindDeps, finding: Finding): Promise<FoundChunk[]> {
  const { msMax, contactsMax, contactsMin } = deps.stretch ?? STRETCH
  const { workspaceId, chunkMax } = finding
  const found: FoundChunk[] = []
  await inTransaction(deps.pool, workspaceId, async (plain) => {
    const tx = withQueryTimeout(plain, msMax + ANSWER_MS)
    await tx.query('set transaction isolation level repeatable read, read only')
    await tx.query(`set local statement_timeout = ${msMax}`)
    const filter = await finding.readFilter(tx)
    let size = contactsMax
    let after = '0'
    for (;;) {
      const startedMs = performance.now()
      const stretch = await findStretch(deps, tx, { workspaceId, filter, chunkMax, after, size })
      if (stretch === 'too much') {
        if (size === contactsMin) throw new Error(`${size} contacts take longer to look through than ${msMax} ms`)
        size = Math.max(contactsMin, Math.floor(size / SHRINK))
        continue
      }
      if (stretch.to === null) return
      for (const chunk of stretch.chunks) addChunk(found, chunk, chunkMax)
      if (performance.now() - startedMs < msMax * QUICK) size = Math.min(contactsMax, size * 2)
      after = stretch.to
    }
  })
  return found
}

type Given = { workspaceId: string; filter: ContactFilter; chunkMax: number }
type Stretch = Given & { after: string; size: number }
/** `to`: the last contact of the stretch; null behind all. */
type Found = { to: string | null; chunks: FoundChunk[] }

/** The snapshot outlives a statement that is ended. To find the end of a stretch takes long, too, where contacts were changed just now. */
async function findStretch(
  deps: FindDeps,
  tx: Transaction,
  { after, size, ...given }: Stretch,
): Promise<Found | 'too much'> {
  await tx.query('savepoint stretch')
  try {
    const end = await tx.query(stretchEndStatement(given.workspaceId, { after, size }))
    const to = end.rows[0]?.id ?? null
    const chunks = to === null ? [] : await chunksOf(deps, tx, { ...given, stretch: { after, to } })
    await tx.query('release savepoint stretch')
    return { to, chunks }
  } catch (error) {
    if (databaseOutcome(error) !== 'timed_out') throw error
    await tx.query('rollback to savepoint stretch; release savepoint stretch')
    return 'too much'
  }
}

async function chunksOf(
  deps: FindDeps,
  tx: Transaction,
  { workspaceId, filter, chunkMax, stretch }: Given & { stretch: IdStretch },
): Promise<FoundChunk[]> {
  const sets = await contactsThatFit(deps, tx, { workspaceId, filter, stretch })
  return (await tx.query(foundChunksStatement(workspaceId, { sets, stretch, chunkMax }))).rows
}

/** Stretches in which few are found make no chunk of their own each. */
function addChunk(found: FoundChunk[], chunk: FoundChunk, chunkMax: number): void {
  const last = found.at(-1)
  if (last === undefined || last.size + chunk.size > chunkMax) found.push({ ...chunk })
  else Object.assign(last, { ids: `${last.ids},${chunk.ids}`, size: last.size + chunk.size, lastId: chunk.lastId })
}

/** How many contacts were found. */
export const countFound = (found: readonly FoundChunk[]) => found.reduce((total, { size }) => total + size, 0)

/**
 * Parameters of the statements that note what was found: the chunks before, a `text[]` of their ids, which in braces are a
 * `bigint[]` each, and a `bigint[]` of their last ones.
 */
export function* parametersOf(found: readonly FoundChunk[]): Generator<[before: number, ids: Buffer, lastIds: Buffer]> {
  for (let before = 0; before < found.length; before += NOTED_MAX) {
    const chunks = found.slice(before, before + NOTED_MAX)
    yield [before, textArray(chunks.map(({ ids }) => ids)), int8Array(chunks.map(({ lastId }) => lastId))]
  }
}
