import { hash } from 'node:crypto'
import type pg from 'pg'
import type { Caller } from '../auth/caller.ts'
import { importContacts } from '../imports/import-contacts.ts'
import { readImport } from '../imports/read-imports.ts'
import type { MailDeps } from './move-mails.ts'
import { moveBroadcasts, moveTemplates } from './move-mails.ts'
import { moveOptOuts } from './move-opt-outs.ts'
import { type ImportRow, type PeopleDeps, startPeople } from './move-people.ts'
import type { LeftOut, MovedPage, Service } from './moved.ts'

export type MoveDeps = PeopleDeps & MailDeps & { pool: pg.Pool }

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

/**
 * Brings everything in by the ways that are there already. First who must not be mailed, then the others. It may be broken off
 * anywhere and begun again: what is there is known again, and an import goes on behind its last slice.
 */
export async function moveIn(
  deps: MoveDeps,
  caller: Caller,
  { service, pages }: { service: Service; pages: readonly MovedPage[] },
): Promise<MovedIn> {
  const moved: MovedIn = {
    ...{ people: [], optOuts: { added: 0, known: 0 } },
    ...{ templates: { created: 0, known: 0 }, broadcasts: { created: 0, known: 0 }, leftOut: [] },
  }
  for (const { optOuts } of pages) addUp(moved.optOuts, await moveOptOuts(deps, caller, optOuts))
  const files = new Set(pages.flatMap(({ people }) => people.map(({ file }) => file)))
  for (const file of files) {
    const stretches = pages.flatMap(({ people }) => people.filter((one) => one.file === file))
    const row = await startPeople(deps, caller, { service, file, digest: digestOf(stretches), stretches })
    moved.people.push(peopleMoved(file, await wholeImport(deps, caller.workspaceId, row)))
  }
  for (const { templates } of pages) {
    const { leftOut, ...told } = await moveTemplates(deps, caller, templates)
    addUp(moved.templates, told)
    moved.leftOut.push(...leftOut)
  }
  for (const { broadcasts } of pages) {
    const { leftOut, ...told } = await moveBroadcasts(deps, caller, broadcasts)
    addUp(moved.broadcasts, told)
    moved.leftOut.push(...leftOut)
  }
  return moved
}

/** Adds numbers to those of the same names. */
export function addUp<T extends Record<string, number>>(to: T, from: T): void {
  for (const name of Object.keys(from) as (keyof T)[]) to[name] = (to[name]! + from[name]!) as T[keyof T]
}

function digestOf(stretches: MovedPage['people']): string {
  return hash('sha256', stretches.map(({ head, rows }, n) => (n === 0 ? head + rows : rows)).join(''))
}

/** Does the import as its job would, or waits until that has done it. */
async function wholeImport({ sql, pool }: MoveDeps, workspaceId: string, started: ImportRow): Promise<ImportRow> {
  let row = started
  while (row.state === 'running') {
    await importContacts({ pool, shouldYield: () => false }, workspaceId)
    row = await readImport(sql, workspaceId, row.id)
    if (row.state === 'running') await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  return row
}

/** The counts of a file's import. */
export function peopleMoved(file: string, row: ImportRow): PeopleMoved {
  return {
    ...{ file, importId: row.id, created: Number(row.rowsCreated), updated: Number(row.rowsUpdated) },
    ...{ unchanged: Number(row.rowsUnchanged), failed: Number(row.rowsFailed) },
  }
}
