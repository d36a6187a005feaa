import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dashboardFindings } from './dashboard-rules.ts'

const modules = new Set(['contacts', 'tags'])
const messages = (path: string, text: string) =>
  dashboardFindings([{ path, text }], modules).map(({ message }) => message)

test('each layer of the dashboard imports only those below it', () => {
  assert.deepEqual(messages('dashboard/lib/a.ts', "import { b } from '../ui/b.tsx'\n"), [
    'imports dashboard/ui/b.tsx: ui, lib <- features <- app',
  ])
  assert.deepEqual(messages('dashboard/ui/a.tsx', "import { b } from '../features/tags/b.tsx'\n"), [
    'imports dashboard/features/tags/b.tsx: ui, lib <- features <- app',
  ])
  assert.deepEqual(messages('dashboard/features/tags/a.tsx', "import { b } from '../../app/shell.tsx'\n").length, 1)
  assert.deepEqual(messages('dashboard/features/tags/a.tsx', "import { b } from '../contacts/b.tsx'\n"), [])
  assert.deepEqual(messages('dashboard/app/a.tsx', "import { b } from '../features/contacts/b.tsx'\n"), [])
})

test('a feature keeps its routes, carries the name of a module, and knows neither the server nor the kit', () => {
  assert.equal(
    messages('dashboard/features/tags/a.tsx', "import { feature } from '../contacts/routes.tsx'\n").length,
    1,
  )
  assert.equal(messages('dashboard/features/people/a.tsx', '').length, 1)
  assert.equal(messages('dashboard/features/tags/a.tsx', "import { x } from '@mantine/core'\n").length, 1)
  assert.equal(
    messages('dashboard/features/tags/a.tsx', "import type { x } from '../../../server/version.ts'\n").length,
    1,
  )
})

test('a colour stands in the tokens alone', () => {
  assert.equal(messages('dashboard/features/tags/a.module.css', '.a { color: #123456; }\n').length, 1)
  assert.deepEqual(messages('dashboard/features/tags/a.module.css', '.a { color: var(--ink); }\n'), [])
  assert.deepEqual(messages('dashboard/ui/tokens.css', ':root { --ink: #123456; }\n'), [])
})

test('a part that comes later waits for a server that is away, and is shown once it has come', () => {
  assert.equal(messages('dashboard/features/tags/a.tsx', "import { lazy, useState } from 'react'\n").length, 1)
  assert.equal(messages('dashboard/features/tags/a.tsx', "import { Suspense, useState } from 'react'\n").length, 1)
  assert.deepEqual(messages('dashboard/features/tags/a.tsx', "import { useState } from 'react'\n"), [])
})

test('no file is longer than anybody reads, nor one that is written from the routes', () => {
  assert.deepEqual(messages('dashboard/lib/site-types/tags.ts', '\n'.repeat(400)), [])
  assert.deepEqual(messages('dashboard/lib/site-types/tags.ts', '\n'.repeat(401)), [
    'has 401 lines, at most 400 are allowed',
  ])
})
