import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { MUTANTS } from './mutants.ts'
import { mutated } from './mutate.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

test('each mutant of the engine changes what is there, once', async () => {
  for (const { name, changes } of MUTANTS) {
    for (const change of changes) {
      const text = await readFile(ROOT + change.file, 'utf8')
      assert.notEqual(mutated(text, change), text, name)
    }
  }
})
