import assert from 'node:assert/strict'
import test from 'node:test'
import { mapFindings } from './module-map.ts'

const MIGRATIONS = [
  { path: 'migrations/1.sql', text: 'create table a (\n);\ncreate unlogged table b (\n);\n' },
  { path: 'migrations/2.sql', text: 'create table b_2026 partition of b default;\n' },
]
const SOURCES = [
  { path: 'server/modules/x/do.ts', text: "import { y } from '../y/do.ts'\nimport type { Z } from '../z/do.ts'\n" },
  { path: 'server/modules/x/do.test.ts', text: "import { w } from '../w/do.ts'\n" },
  { path: 'server/modules/y/do.ts', text: "import { pool } from '../../platform/db/pool.ts'\n" },
  { path: 'server/modules/z/do.ts', text: "import type { Module } from '../module.ts'\n" },
]
const HEAD = '# Map\n\n## Modules and their tables\n\n| Module | Tables | Depends on |\n|---|---|---|\n'
const FOOT = '\n## After it\n\n| `not a row` | `c` | `d` |\n'

function messages(rows: string, sources = SOURCES, migrations = MIGRATIONS): string[] {
  const found = mapFindings(HEAD + rows + FOOT, sources, migrations)
  return found.map(({ path, line, message }) => `${path}:${line} ${message}`)
}

test('a table of modules that says what is so is let through', () => {
  assert.deepEqual(
    messages('| `x` | `a`; writes `b` | `z`, `y` |\n| `y` | `b`, kept by triggers | |\n| `z` | | |\n'),
    [],
  )
})

test('a row that names too few modules or too many is told what to say', () => {
  assert.deepEqual(messages('| `x` | `a` | `z`, `w` |\n| `y` | `b` | `z` |\n| `z` | | |\n'), [
    'ARCHITECTURE.md:7 "Depends on" of `x` must be: `z`, `y`',
    'ARCHITECTURE.md:8 "Depends on" of `y` must be: nothing',
  ])
})

test('a module has a row, and a row a module or a room of the platform', () => {
  assert.deepEqual(messages('| `x` | `a` | `y`, `z` |\n| `v` | | |\n| `z` | | |\n| `platform/db` | `b` | |\n'), [
    'ARCHITECTURE.md:8 names `v`, which is no folder of server/modules',
    'ARCHITECTURE.md:14 has no row for the module `y`',
  ])
})

test('a table has exactly one owner, wherever it is made', () => {
  const rows = '| `x` | `a`, `d` | `y`, `z` |\n| `y` | `a` | |\n| `z` | writes `b` | |\n'
  const made = [...SOURCES, { path: 'server/platform/db/m.ts', text: '`create table if not exists e`\n' }]
  assert.deepEqual(messages(rows, made), [
    'migrations/1.sql:1 makes `a`, which has 2 owners (`x`, `y`) in ARCHITECTURE.md: exactly one row names it',
    'migrations/1.sql:3 makes `b`, which has no owner in ARCHITECTURE.md: exactly one row names it',
    'server/platform/db/m.ts:1 makes `e`, which has no owner in ARCHITECTURE.md: exactly one row names it',
    'ARCHITECTURE.md:7 `x` owns `d`, which nothing makes',
  ])
})
