import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FORMATS_OF as shown } from '../../dashboard/features/imports/column-formats.ts'
import { FORMATS_OF as read } from '../../server/modules/imports/formats-for.ts'

test('the page shows a column as read by the formats by which the import reads it', () => {
  assert.deepEqual(shown, read)
})
