import type pg from 'pg'
import type { Caller } from '../auth/caller.ts'
import { createImport } from '../imports/create-import.ts'
import type { Mapping } from '../imports/mapping.ts'
import { importNamed, type readImport } from '../imports/read-imports.ts'
import { startImport } from '../imports/start-import.ts'
import type { MovedPeople, Service } from './moved.ts'

/** An import as it stands in the list of imports. */
export type ImportRow = Awaited<ReturnType<typeof readImport>>

export type PeopleDeps = { sql: pg.Pool }

type FileOfPeople = {
  service: Service
  file: string
  /** Of its whole content. */
  digest: string
  stretches: Iterable<MovedPeople> | AsyncIterable<MovedPeople>
}

const FILE_NAME_CHARS = 150
const DIGEST_CHARS = 12

/** Starts the import of a file. One of the same content is one import, whose name has that in it: an end is an end, and a broken one goes on. */
export async function startPeople(
  deps: PeopleDeps,
  caller: Caller,
  { service, file, digest, stretches }: FileOfPeople,
): Promise<ImportRow> {
  const fileName = `${service.name} ${file.slice(-FILE_NAME_CHARS)} ${digest.slice(0, DIGEST_CHARS)}`
  const before = await importNamed(deps.sql, caller.workspaceId, fileName)
  const isThere = before !== undefined && before.state !== 'canceled' && before.state !== 'failed'
  const row = isThere
    ? before
    : await createImport(deps, caller, { content: bytesOf(stretches), fileName, start: false })
  if (row.state !== 'uploaded') return row
  const mapping = service.mapping(file, JSON.parse(row.suggestedMapping) as Mapping)
  return startImport(deps, caller, { id: row.id, body: { mapping } })
}

async function* bytesOf(stretches: FileOfPeople['stretches']): AsyncGenerator<Buffer> {
  let isFirst = true
  for await (const { head, rows } of stretches) {
    yield Buffer.from(isFirst ? head + rows : rows)
    isFirst = false
  }
}
