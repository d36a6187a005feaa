import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { createTurns } from '../../platform/turns.ts'
import { imageContentStatement, imageFactsStatement } from './asset-queries.ts'
import type { ImageType } from './image-of.ts'

/** How long a picture is shown by other processes after it was deleted. */
const FACTS_MS = 60_000
const FACTS_MAX = 10_000
/** Of the pictures' bytes that are kept. */
const CONTENT_BYTES_MAX = 64 * 1024 * 1024
/** Pictures that are read from the database at the same time; they hold connections that short requests need. */
export const LOADS_AT_ONCE = 3
/** Pictures that may wait to be read. More are answered 503. */
export const LOADS_WAITING_MAX = 50
const BUSY_RETRY_SECONDS = 1

export type ServedImage = { type: ImageType; bytes: number }

/**
 * Pictures of mails by their workspace and digest, for everybody. Each is read once for all who ask at the same time, and all
 * share its bytes, however slowly they take them. Throws 404 for one that is not there.
 */
export type ImageStore = {
  facts(workspaceId: string, digest: string): Promise<ServedImage>
  /** Bytes of a picture whose facts were read. Throws 503 when too many others wait to be read. */
  content(workspaceId: string, digest: string): Promise<Buffer>
  /** Has this process see at once that a picture was deleted. */
  forget(workspaceId: string, digest: string): void
}

type Key = { workspaceId: string; digest: string }

export function createImageStore(sql: pg.Pool): ImageStore {
  const turns = createTurns({
    ...{ atOnceMax: LOADS_AT_ONCE, waitingMax: LOADS_WAITING_MAX, retryAfterSeconds: BUSY_RETRY_SECONDS },
  })
  // A load goes on for those who ask, even if its place is taken or forgotten meanwhile.
  const ignoreFetchAbort = true
  const facts = new LRUCache<string, ServedImage, Key>({
    max: FACTS_MAX,
    ttl: FACTS_MS,
    ignoreFetchAbort,
    fetchMethod: async (_key, _stale, { context: { workspaceId, digest } }) => {
      const [row] = await queryInScope(sql, workspaceId, imageFactsStatement(workspaceId, digest))
      if (!row) throw notFound()
      return row
    },
  })
  // Without an age: what is below a digest never changes, and is asked for only while its facts are there.
  const contents = new LRUCache<string, Buffer, Key>({
    maxSize: CONTENT_BYTES_MAX,
    sizeCalculation: ({ length }) => length,
    ignoreFetchAbort,
    fetchMethod: (_key, _stale, { context: { workspaceId, digest } }) =>
      turns(workspaceId, async () => {
        const [row] = await queryInScope(sql, workspaceId, imageContentStatement(workspaceId, digest))
        if (!row) throw notFound()
        return row.content
      }),
  })
  const keyOf = (workspaceId: string, digest: string) => `${workspaceId}/${digest}`

  return {
    facts(workspaceId, digest) {
      return facts.forceFetch(keyOf(workspaceId, digest), { context: { workspaceId, digest } })
    },
    content(workspaceId, digest) {
      return contents.forceFetch(keyOf(workspaceId, digest), { context: { workspaceId, digest } })
    },
    forget(workspaceId, digest) {
      facts.delete(keyOf(workspaceId, digest))
      contents.delete(keyOf(workspaceId, digest))
    },
  }
}
