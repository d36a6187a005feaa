import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { APP_PATHS } from '../../server/catalogue/app-paths.ts'
import { SITE_CATALOGUE, siteCatalogue } from '../support/site-catalogue.ts'
import { SITE_TYPES, SITE_TYPES_FOLDER, siteTypes } from '../support/site-types.ts'

test("the dashboard's types are those of the routes", async () => {
  const types = await siteTypes()
  const at = (file: string) => new URL(`../../${file}`, import.meta.url)
  for (const [file, text] of types) {
    const written = await readFile(at(file), 'utf8').catch(() => '')
    assert.ok(written === text, `${file} is not as the routes are: run npm run docs`)
  }
  const files = (await readdir(at(SITE_TYPES_FOLDER))).map((name) => `${SITE_TYPES_FOLDER}/${name}`)
  assert.deepEqual([SITE_TYPES, ...files].sort(), [...types.keys()].sort())
})

test("the dashboard's lists of names are those of the catalogue", async () => {
  const written = await readFile(new URL(`../../${SITE_CATALOGUE}`, import.meta.url), 'utf8')
  assert.ok(written === siteCatalogue(), `${SITE_CATALOGUE} is not as the catalogue is: run npm run docs`)
})

test('names of pages are in the order of the alphabet, once each', () => {
  assert.deepEqual([...new Set(APP_PATHS)].sort(), [...APP_PATHS])
})
