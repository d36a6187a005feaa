import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { allRows, pathOf } from './route-rows.ts'
import { openWorld, settled } from './world.ts'

/*
 * `npm run shots`: every page of the table as a picture, light, dark and on a phone, and one sheet that shows them all.
 * `npm run shots -- contact` takes those whose name begins so.
 */

const DIRECTORY = path.join(import.meta.dirname, '..', '..', 'shots')
const LOOKS = [
  { look: 'light', scheme: 'light', width: 1_280 },
  { look: 'dark', scheme: 'dark', width: 1_280 },
  { look: 'phone', scheme: 'light', width: 360 },
] as const

const wanted = process.argv[2] ?? ''
const rows = (await allRows()).filter(({ name }) => name.startsWith(wanted))
const world = await openWorld()
const names: string[] = []
try {
  if (wanted === '') await rm(DIRECTORY, { recursive: true, force: true })
  await mkdir(DIRECTORY, { recursive: true })
  for (const row of rows) {
    const where = await pathOf(row, world)
    for (const { look, scheme, width } of LOOKS) {
      const { page, close } = await world.open(where, { scheme, width })
      await settled(page)
      await page.screenshot({ path: path.join(DIRECTORY, `${row.name}-${look}.png`), fullPage: look === 'phone' })
      await close()
    }
    names.push(row.name)
    console.log(row.name)
  }
  const pictures = names.map(
    (name) =>
      `<h2>${name}</h2><div>${LOOKS.map(({ look }) => `<img src="${name}-${look}.png" alt="${name}, ${look}" loading="lazy">`).join('')}</div>`,
  )
  const style =
    'body{font:14px sans-serif;margin:24px}div{display:flex;gap:16px;align-items:start}img{max-width:40%;border:1px solid #ccc}'
  await writeFile(
    path.join(DIRECTORY, 'sheet.html'),
    `<!doctype html><title>Pages</title><style>${style}</style>${pictures.join('')}`,
  )
} finally {
  await world.close()
}
