import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isTest } from '../support/source-files.ts'

const ROOT = join(import.meta.dirname, '../..')

function textsBelow(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
  const paths = names.map((name) => join(folder, name)).filter((path) => path.endsWith('.ts'))
  const sources = paths.filter((path) => folder === 'test' || !isTest(path))
  return sources.map((path) => readFileSync(join(ROOT, path), 'utf8'))
}

const found = (texts: readonly string[], pattern: RegExp): string[] =>
  texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name!))

test('at each named moment between two commits some test has a process die', () => {
  const server = textsBelow('server')
  const lanes = found(server, /\bdefineLanes\b.*\(\{\s*name: '(\w+)'/g)
  assert.ok(lanes.length >= 3, `${lanes}`)
  const ofLanes = found(server, /crashPoint\(`\$\{[^}]*\}(_\w+)`\)/g)
  assert.equal(ofLanes.length, 4)
  const points = [
    ...found(server, /crashPoint\('(\w+)'\)/g),
    ...lanes.flatMap((lane) => ofLanes.map((moment) => lane + moment)),
  ]
  const named = new Set(found(textsBelow('test'), /'(\w+)(?::\d+)?'/g))
  assert.deepEqual(
    points.filter((point) => !named.has(point)),
    [],
  )
})
