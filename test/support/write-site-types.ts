import { mkdir, rm, writeFile } from 'node:fs/promises'
import { SITE_CATALOGUE, siteCatalogue } from './site-catalogue.ts'
import { SITE_TYPES_FOLDER, siteTypes } from './site-types.ts'

const at = (file: string) => new URL(`../../${file}`, import.meta.url)
const types = await siteTypes()
// A part that is no more leaves no file behind.
await rm(at(SITE_TYPES_FOLDER), { recursive: true, force: true })
await mkdir(at(SITE_TYPES_FOLDER))
for (const [file, text] of types) await writeFile(at(file), text)
await writeFile(at(SITE_CATALOGUE), siteCatalogue())
