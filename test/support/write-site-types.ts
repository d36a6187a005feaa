import { writeFile } from 'node:fs/promises'
import { SITE_CATALOGUE, siteCatalogue } from './site-catalogue.ts'
import { SITE_TYPES, siteTypes } from './site-types.ts'

await writeFile(new URL(`../../${SITE_TYPES}`, import.meta.url), await siteTypes())
await writeFile(new URL(`../../${SITE_CATALOGUE}`, import.meta.url), siteCatalogue())
