import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { EDITOR_BYTES_MAX, FIRST_CSS_BYTES_MAX, FIRST_JS_BYTES_MAX, pageBytes } from './page-bytes.ts'

/*
 * Scripts for the pages of others are held to their bytes by gzip, which every browser and proxy has.
 */

const TRACKER_BYTES_MAX = 3_000
/** With the solver of challenges. */
const FORMS_BYTES_MAX = 4_000

const { directory, js, css, editor, others } = await pageBytes()

test('the first page stays within its budget', (t) => {
  t.diagnostic(
    `first page: ${js} of ${FIRST_JS_BYTES_MAX} bytes of scripts, ${css} of ${FIRST_CSS_BYTES_MAX} of styles`,
  )
  assert.ok(js <= FIRST_JS_BYTES_MAX, `${js} bytes of scripts`)
  assert.ok(css <= FIRST_CSS_BYTES_MAX, `${css} bytes of styles`)
})

test('the tracker stays within its budget', async (t) => {
  const { length } = gzipSync(await readFile(path.join(directory, 'scripts', 't.js')), { level: 9 })
  t.diagnostic(`t.js: ${length} of ${TRACKER_BYTES_MAX} bytes`)
  assert.ok(length <= TRACKER_BYTES_MAX, `${length} bytes`)
})

test('the script of forms stays within its budget', async (t) => {
  const { length } = gzipSync(await readFile(path.join(directory, 'scripts', 'f.js')), { level: 9 })
  t.diagnostic(`f.js: ${length} of ${FORMS_BYTES_MAX} bytes`)
  assert.ok(length <= FORMS_BYTES_MAX, `${length} bytes`)
})

test('the whole editor of mails stays within its budget', (t) => {
  t.diagnostic(`the editor of mails: ${editor} of ${EDITOR_BYTES_MAX} bytes more`)
  assert.ok(editor <= EDITOR_BYTES_MAX, `${editor} bytes`)
})

test('every other page adds little', (t) => {
  for (const { page, bytes, bytesMax } of others) {
    t.diagnostic(`${page}: ${bytes} of ${bytesMax} bytes more`)
    assert.ok(bytes <= bytesMax, `${page} adds ${bytes} bytes`)
  }
})
