import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { allRows, pathOf } from './route-rows.ts'
import { DIALOG_SHOTS, VIEWER_SHOTS } from './shot-dialogs.ts'
import { emptyShots, SHOTS, type Shot } from './shot-states.ts'
import { openWorld, settled, type WatchedPage } from './world.ts'

/*
 * `npm run shots`: every page of the table, its dialogs and states, pages without anything in them, and those that readers
 * see, as pictures: light, dark and on a phone, and one sheet that shows them all.
 * `npm run shots -- contact` takes those whose name begins so, `-- contact,segment` several, `-- contact 1000,390-dark` so many pixels
 * wide alone, in light or in the dark.
 */

const DIRECTORY = path.join(import.meta.dirname, '..', '..', 'shots')
type Look = { look: string; scheme: 'light' | 'dark'; width: number }
const PHONE_WIDTH_MAX = 500
const USUAL: readonly Look[] = [
  { look: 'light', scheme: 'light', width: 1_280 },
  { look: 'dark', scheme: 'dark', width: 1_280 },
  { look: 'phone', scheme: 'light', width: 360 },
  { look: 'phone-dark', scheme: 'dark', width: 360 },
]

const wanted = (process.argv[2] ?? '').split(',')
const widths = (process.argv[3] ?? '').split(',').filter((one) => one !== '')
const LOOKS = widths.length === 0 ? USUAL : widths.map(lookOf)
const world = await openWorld()
const ofRows = (await allRows()).map((row): Shot => ({ name: row.name, path: () => pathOf(row, world) }))
const shots = [...ofRows, ...(await emptyShots()), ...SHOTS, ...DIALOG_SHOTS, ...VIEWER_SHOTS].filter(({ name }) =>
  wanted.some((one) => name.startsWith(one)),
)
const names: string[] = []
const viewer = shots.some(({ as }) => as === 'viewer') ? await world.people.person('viewer', 'viewer') : undefined
// Each is led from one to the next, and keeps what it has loaded.
const opened = { owner: await openAs(), viewer: viewer && (await openAs(viewer.cookie)), reader: await openAs(null) }

try {
  if (wanted[0] === '') await rm(DIRECTORY, { recursive: true, force: true })
  await mkdir(DIRECTORY, { recursive: true })
  for (const shot of shots) {
    try {
      const where = await shot.path(world)
      await Promise.all((opened[shot.as ?? 'owner'] ?? []).map((one) => take(shot, where, one)))
      names.push(shot.name)
      console.log(shot.name)
    } catch (error) {
      console.error(`${shot.name}: ${error instanceof Error ? error.message : String(error)}`)
      process.exitCode = 1
    }
  }
  const pictures = names.map(
    (name) =>
      `<h2>${name}</h2><div>${LOOKS.map(({ look }) => `<img src="${name}-${look}.png" alt="${name}, ${look}" loading="lazy">`).join('')}</div>`,
  )
  const style =
    'body{font:14px sans-serif;margin:24px}div{display:flex;gap:16px;align-items:start}img{max-width:33%;border:1px solid #ccc}'
  await writeFile(
    path.join(DIRECTORY, 'sheet.html'),
    `<!doctype html><title>Pages</title><style>${style}</style>${pictures.join('')}`,
  )
} finally {
  await world.close()
}

/** Of `390` and `390-dark`. */
function lookOf(look: string): Look {
  return { look, scheme: look.endsWith('-dark') ? 'dark' : 'light', width: Number.parseInt(look, 10) }
}

async function openAs(cookie?: string | null): Promise<(Look & WatchedPage)[]> {
  const one = async (look: Look) => ({
    ...look,
    ...(await world.open('/healthz', { ...look, ...(cookie === undefined ? {} : { cookie }) })),
  })
  return Promise.all(LOOKS.map(one))
}

async function take({ name, act }: Shot, where: string, { look, width, page }: Look & WatchedPage): Promise<void> {
  await page.goto(where)
  await settled(page)
  await act?.(page)
  await settled(page)
  const fullPage = width <= PHONE_WIDTH_MAX && act === undefined
  await page.screenshot({ path: path.join(DIRECTORY, `${name}-${look}.png`), fullPage })
}
