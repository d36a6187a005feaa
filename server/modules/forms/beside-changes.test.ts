import assert from 'node:assert/strict'
import { test } from 'node:test'
import { somebodyWaits } from '../../../test/support/open-transaction.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { declareField, deleteField } from '../custom-fields/manage-fields.ts'
import { createForm } from './manage-forms.ts'
import type { Form } from './schemas.ts'

/** Forms and what is filled in while others change what these need. */

const { pool, caller } = await testWorkspace({ connections: 6 })
const deps = { sql: pool, baseUrl: new URL('https://mail.example.com/') }
const fieldDeps = { sql: pool, enqueueRewrite: async () => undefined, onKeyChange: async () => undefined }

const formWith = (key: string) =>
  createForm(deps, caller, {
    ...{ name: 'Footer', consentWording: 'Once a month' },
    fields: [{ field: 'email' }, { field: `custom:${key}` }],
  })

test('a form does not ask for a custom field that is deleted while it is saved', async () => {
  const { id } = await declareField(fieldDeps, caller, { key: 'going', type: 'string' })
  let saved: Promise<Form> | undefined
  const enqueueRewrite = async () => {
    saved = formWith('going')
    saved.catch(() => undefined)
    await Promise.race([saved, somebodyWaits(pool)])
  }
  await deleteField({ ...fieldDeps, enqueueRewrite }, caller, { id })
  await assert.rejects(saved!, { statusCode: 422 })
})
