import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { SDK_SOURCES } from './sdk-rules.ts'
import { sdkSources } from './sdk-sources.ts'

/*
 * Writes the part of the client that is made from the description of the API. With `--check`, which is part of `npm run check`,
 * nothing is written: files that are not as they would be are named, and the exit code is 1.
 */

const at = (file: string) => new URL(`../../${file}`, import.meta.url)
const sources = await sdkSources()
if (process.argv.includes('--check')) {
  const written = (await readdir(at(SDK_SOURCES))).map((name) => `${SDK_SOURCES}/${name}`)
  const texts = await Promise.all([...sources.keys()].map((file) => readFile(at(file), 'utf8').catch(() => '')))
  const stale = [...sources].filter(([, text], n) => text !== texts[n]).map(([file]) => file)
  const faults = [...stale, ...written.filter((file) => !sources.has(file))]
  for (const file of faults) console.error(`${file} is not as the API is: run npm run docs`)
  if (faults.length > 0) process.exitCode = 1
} else {
  await rm(at(SDK_SOURCES), { recursive: true, force: true })
  await mkdir(at(SDK_SOURCES), { recursive: true })
  for (const [file, text] of sources) await writeFile(at(file), text)
}
