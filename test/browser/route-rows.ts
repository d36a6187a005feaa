import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { World } from './world.ts'

/** A page as it is looked at: by the table of routes, and by `npm run shots`. */
export type Row = {
  /** Of the feature's `routes.tsx`: `/contacts/$contactId`. */
  route: string
  /** Of the picture, and of the test: `contact`. A route may have several rows, one a state. */
  name: string
  /** Its `h1`. */
  heading: string
  /** Answers that are part of what it shows, and that the browser tells of in its console: `/422/`. */
  answered?: RegExp
  /** The fewest buttons, in `main`, that an owner finds on it, a member, a viewer: 0 where it offers nothing to press. */
  offers: readonly [owner: number, member: number, viewer: number]
  /** Makes what the page shows and answers its path below the workspace; the route itself when absent. */
  path?: (world: World) => Promise<string>
}

const ROOT = path.join(import.meta.dirname, '..', '..')
const FEATURES = path.join(ROOT, 'dashboard', 'features')
const ROWS = path.join(import.meta.dirname, 'rows')

/** Every row: a file a feature in `rows/`, each with `export const rows`. */
export async function allRows(): Promise<Row[]> {
  const files = (await readdir(ROWS)).filter((name) => name.endsWith('.ts')).sort()
  const modules = await Promise.all(files.map((name) => import(path.join(ROWS, name)) as Promise<{ rows: Row[] }>))
  return modules.flatMap(({ rows }) => rows)
}

/** Of how many rows `npm test` takes one. */
const SHARES = 3
const { PAGES, POSTROOM_SEED = '0' } = process.env

/** The rows that a run takes: others with any change of the sources, and all of them with `PAGES=all`. */
export function shareOfRun(rows: readonly Row[]): Row[] {
  return rows.filter((_, at) => PAGES === 'all' || at % SHARES === Number(POSTROOM_SEED) % SHARES)
}

/** Every route that a feature declares. */
export async function declaredPages(): Promise<string[]> {
  const features = await readdir(FEATURES)
  const texts = await Promise.all(
    features.map((feature) => readFile(path.join(FEATURES, feature, 'routes.tsx'), 'utf8').catch(() => '')),
  )
  return texts.flatMap((text) => [...text.matchAll(/\bpath: '([^']+)'/g)].map(([, route]) => route!))
}

export async function pathOf(row: Row, world: World): Promise<string> {
  const below = row.path ? await row.path(world) : row.route
  return `/app/default${below === '/' ? '' : below}`
}
