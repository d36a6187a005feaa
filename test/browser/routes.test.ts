import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdPages } from './hold-pages.ts'
import { allRows, declaredPages } from './route-rows.ts'

test('every page has a row, and every row a page', async () => {
  const rows = await allRows()
  const routes = new Set(rows.map(({ route }) => route))
  const pages = await declaredPages()
  assert.deepEqual(
    pages.filter((page) => !routes.has(page)),
    [],
    'pages without a row in test/browser/rows',
  )
  assert.deepEqual(
    [...routes].filter((route) => !pages.includes(route)),
    [],
    'rows without a page',
  )
})

await holdPages()
