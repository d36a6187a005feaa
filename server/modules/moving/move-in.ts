import { hash } from 'node:crypto'
import type pg from 'pg'
import { csvLines } from '../../platform/csv/csv-lines.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import { Problem } from '../../platform/problem.ts'
import type { Caller } from '../auth/caller.ts'
import { createBroadcast } from '../broadcasts/manage-broadcasts.ts'
import { createImport } from '../imports/create-import.ts'
import { importContacts } from '../imports/import-contacts.ts'
import type { Mapping } from '../imports/mapping.ts'
import { importNamed, readImport } from '../imports/read-imports.ts'
import { startImport } from '../imports/start-import.ts'
import { importSuppressions } from '../suppression/import-suppressions.ts'
import type { CompiledCache } from '../templates/compiled-cache.ts'
import { createTemplate } from '../templates/manage-templates.ts'
import { createUnsubscribe } from '../unsubscribes/manage-unsubscribes.ts'
import type { LeftOut, Moved, MovedBroadcast, MovedPeople, MovedTemplate, OptOut } from './moved.ts'

export type MoveDeps = { sql: pg.Pool; pool: pg.Pool; compiled: CompiledCache }

/** The rows of one file of people; `importId` leads to those that failed. */
export type PeopleMoved = {
  file: string
  importId: string
  created: number
  updated: number
  unchanged: number
  failed: number
}

export type MovedIn = {
  people: PeopleMoved[]
  optOuts: { added: number; known: number }
  templates: { created: number; known: number }
  broadcasts: { created: number; known: number }
  leftOut: LeftOut[]
}

/** How often whether somebody else does an import is looked at. */
const LOOK_EVERY_MS = 200
const DIGEST_CHARS = 12

/**
 * Brings everything in by the ways that are there already. First who must not be mailed, then the others. It may be broken off
 * anywhere and begun again: what is there is known again, and an import goes on behind its last slice.
 */
export async function moveIn(deps: MoveDeps, caller: Caller, moved: Moved): Promise<MovedIn> {
  const leftOut: LeftOut[] = []
  const optOuts = await moveOptOuts(deps, caller, moved.optOuts)
  const people: PeopleMoved[] = []
  for (const file of moved.people) people.push(await movePeople(deps, caller, { source: moved.source, file }))
  const templates = await eachOnce(moved.templates, leftOut, (one) => moveTemplate(deps, caller, one))
  const broadcasts = await eachOnce(moved.broadcasts, leftOut, (one) => moveBroadcast(deps, caller, one))
  return { people, optOuts, templates, broadcasts, leftOut }
}

/** A file of the same content is one import, whose name has that in it: an end is an end, and a broken one goes on. */
async function movePeople(
  deps: MoveDeps,
  caller: Caller,
  { source, file }: { source: string; file: MovedPeople },
): Promise<PeopleMoved> {
  const { workspaceId } = caller
  const fileName = `${source} ${file.name.slice(-150)} ${hash('sha256', file.csv).slice(0, DIGEST_CHARS)}`
  const before = await importNamed(deps.sql, workspaceId, fileName)
  const isThere = before !== undefined && before.state !== 'canceled' && before.state !== 'failed'
  let row = isThere ? before : await createImport(deps, caller, { content: pieces(file.csv), fileName, start: false })
  if (row.state === 'uploaded') {
    const mapping = file.mapping(JSON.parse(row.suggestedMapping) as Mapping)
    row = await startImport(deps, caller, { id: row.id, body: { mapping, tags: [...file.tags] } })
  }
  while (row.state === 'running') {
    await importContacts({ pool: deps.pool, shouldYield: () => false }, workspaceId)
    row = await readImport(deps.sql, workspaceId, row.id)
    if (row.state === 'running') await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  const [created, updated, unchanged, failed] = [
    row.rowsCreated,
    row.rowsUpdated,
    row.rowsUnchanged,
    row.rowsFailed,
  ].map(Number)
  return {
    file: file.name,
    importId: row.id,
    created: created!,
    updated: updated!,
    unchanged: unchanged!,
    failed: failed!,
  }
}

async function* pieces(...buffers: Buffer[]): AsyncGenerator<Buffer> {
  yield* buffers
}

async function moveOptOuts(deps: MoveDeps, caller: Caller, optOuts: readonly OptOut[]) {
  const sound = optOuts.filter(({ email }) => normaliseEmail(email) !== undefined)
  const stopped = sound.filter(({ kind }) => kind !== 'unsubscribed')
  const told = { added: 0, known: 0 }
  if (stopped.length > 0) {
    const csv = csvLines([
      ['email', 'reason', 'detail'],
      ...stopped.map(({ email, kind, detail }) => [email, kind, detail]),
    ])
    const { added, known } = await importSuppressions(deps, caller, {
      content: pieces(Buffer.from(csv)),
      reason: 'manual',
    })
    told.added += added
    told.known += known
  }
  for (const { email, kind } of sound) {
    if (kind !== 'unsubscribed') continue
    const before = await isUnsubscribed(deps.sql, caller.workspaceId, normaliseEmail(email)!)
    if (!before) await createUnsubscribe(deps, caller, { destination: email, sendingSource: 'everything' })
    told[before ? 'known' : 'added'] += 1
  }
  return told
}

async function isUnsubscribed(sql: pg.Pool, workspaceId: string, destination: string): Promise<boolean> {
  const rows = await queryInScope(sql, workspaceId, {
    name: 'moving_is_unsubscribed',
    text: `select 1 from unsubscribes where workspace_id = $1 and destination = $2 and sending_source = 'everything'`,
    values: [workspaceId, destination],
  })
  return rows.length > 0
}

/** One that its author has to mend first is left out, with what is wrong with it. */
async function eachOnce<T extends { name: string }>(
  items: readonly T[],
  leftOut: LeftOut[],
  move: (item: T) => Promise<'created' | 'known'>,
): Promise<{ created: number; known: number }> {
  const told = { created: 0, known: 0 }
  for (const item of items) {
    try {
      told[await move(item)] += 1
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const [fault] = error.errors ?? []
      leftOut.push({ what: item.name, why: fault ? `${fault.pointer.slice(1)} ${fault.detail}` : error.message })
    }
  }
  return told
}

async function moveTemplate(deps: MoveDeps, caller: Caller, template: MovedTemplate): Promise<'created' | 'known'> {
  const known = await queryInScope(deps.sql, caller.workspaceId, {
    name: 'moving_template_of_key',
    text: 'select 1 from templates where workspace_id = $1 and key = $2',
    values: [caller.workspaceId, template.key],
  })
  if (known.length > 0) return 'known'
  await createTemplate(deps, caller, template)
  return 'created'
}

async function moveBroadcast(deps: MoveDeps, caller: Caller, broadcast: MovedBroadcast): Promise<'created' | 'known'> {
  const known = await queryInScope(deps.sql, caller.workspaceId, {
    name: 'moving_broadcast_of_name',
    text: 'select 1 from broadcasts where workspace_id = $1 and name = $2 limit 1',
    values: [caller.workspaceId, broadcast.name],
  })
  if (known.length > 0) return 'known'
  await createBroadcast(deps, caller, broadcast)
  return 'created'
}
