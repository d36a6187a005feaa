import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { quietServer } from '../../../test/support/quiet-server.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { secretBox, secretKeys } from '../../platform/crypto/secret-box.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { createContact } from '../contacts/create-contact.ts'
import { upsertContacts } from '../contacts/upsert-contacts.ts'
import { changeField, declareField, deleteField } from '../custom-fields/manage-fields.ts'
import { rewriteCustomField } from '../custom-fields/rewrite-custom-field.ts'
import { createTag, deleteTag, renameTag } from '../tags/manage-tags.ts'
import { guardCollect } from '../trackers/guard-collect.ts'
import { collectForms } from './collect.ts'
import { confirmSignUp } from './confirm-sign-up.ts'
import { findForm } from './find-form.ts'
import { formsNamingTag, renameFieldInForms, renameTagInForms } from './forms-following.ts'
import { honeypotOf } from './honeypot.ts'
import { createSubjects } from './mail-budgets.ts'
import { createForm, deleteForm, readForm, updateForm } from './manage-forms.ts'
import { makeRenderToken } from './render-token.ts'
import type { Form } from './schemas.ts'
import { submissionForChange } from './submission-queries.ts'
import { submitOwn } from './submit-own.ts'
import { takeArrival } from './take-submission.ts'

/** Forms, and what is filled in, while others change what these need. */

const { pool, workspaceId, caller } = await testWorkspace({ connections: 6 })
await migrateJobs(pool, ['default'])
const keys = secretKeys([{ id: 'k1', key: randomBytes(32) }])
const baseUrl = new URL('https://mail.example.com/')
let nowMs = Date.now()
const subjects = createSubjects(keys)
const bindVisitor = async () => undefined
const deps = { sql: pool, keys, secrets: secretBox(keys), subjects, baseUrl, bindVisitor, now: () => nowMs }
const fieldDeps = {
  sql: pool,
  enqueueRewrite: async () => undefined,
  onKeyChange: async () => undefined,
  usedBy: async () => [],
}
const app = quietServer({ trustProxy: true, https: true })
const tally = { noteRefusal: () => undefined }
guardCollect(app, { sql: pool, find: () => undefined, limits: { tracker: 0, address: 0 }, tally })
collectForms(app, { ...deps, ownOrigin: baseUrl.origin })
await app.ready()
after(() => app.close())

const formWith = (...customKeys: string[]) =>
  createForm(deps, caller, {
    ...{ name: 'Footer', consentWording: 'Once a month', challenge: 'off' },
    fields: ['email', ...customKeys.map((key) => `custom:${key}`)].map((field) => ({ field })),
  })

/** Fills in the form for somebody, and answers their link. */
async function signUp({ id: formId }: Form, given: Record<string, unknown>) {
  await submitOwn(deps, caller, { id: formId, given })
  return { workspaceId, submissionId: await lastSubmission({ id: formId }) }
}

const rows = <R extends object>(text: string, ...values: unknown[]) =>
  queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })

async function lastSubmission({ id }: Pick<Form, 'id'>): Promise<string> {
  const text = 'select max(id) as id from form_submissions where workspace_id = $1 and form_id = $2'
  return (await rows<{ id: string }>(text, id))[0]!.id
}

const contactsWithEmail = (email: string) =>
  rows<{ id: string }>('select id from contacts where workspace_id = $1 and email = $2', email)
const fieldKeys = (key: string) => rows('select key from custom_fields where workspace_id = $1 and key = $2', key)

async function customFieldsOf(contactId: string): Promise<unknown> {
  const [row] = await queryInScope<{ fields: string }>(pool, workspaceId, {
    text: 'select custom_fields as fields from contacts where workspace_id = $1 and id = $2',
    values: [workspaceId, contactId],
  })
  return JSON.parse(row!.fields)
}

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

test('a sign-up overwrites no custom field that a program writes meanwhile', async () => {
  await declareField(fieldDeps, caller, { key: 'plan', type: 'string' })
  await declareField(fieldDeps, caller, { key: 'city', type: 'string' })
  const email = 'ann@people.example'
  const { id } = await createContact({ sql: pool }, caller, { email })
  const link = await signUp(await formWith('plan', 'city'), { email, 'custom:plan': 'free', 'custom:city': 'Ulm' })
  const items = [{ fields: { email }, customFields: { plan: 'gold' } }]
  const writing = await openTransaction(
    pool,
    (tx) => upsertContacts(tx, workspaceId, { items, mode: 'overwrite' }),
    workspaceId,
  )
  const confirmed = confirmSignUp(deps, link, null)
  confirmed.catch(() => undefined)
  await somebodyWaits(pool)
  await writing.commit()
  assert.equal((await confirmed).state, 'confirmed')
  assert.deepEqual(await customFieldsOf(id), { plan: 'gold', city: 'Ulm' })
})

test('a sign-up overwrites no custom field that is known by the key that it had before', async () => {
  const field = await declareField(fieldDeps, caller, { key: 'town', type: 'string' })
  const [email, other] = ['bob@people.example', 'cid@people.example']
  const form = await formWith('town')
  const links = [
    await signUp(form, { email, 'custom:town': 'Rom' }),
    await signUp(form, { email: other, 'custom:town': 'Rom' }),
  ]
  const known = await createContact({ sql: pool }, caller, { email, customFields: { town: 'Ulm' } })
  const blank = await createContact({ sql: pool }, caller, { email: other })
  await changeField(fieldDeps, caller, { id: field.id, change: { key: 'place' } })
  for (const link of links) assert.equal((await confirmSignUp(deps, link, null)).state, 'confirmed')
  assert.deepEqual(await customFieldsOf(known.id), { town: 'Ulm' })
  assert.deepEqual(await customFieldsOf(blank.id), { place: 'Rom' })
})

test('a form follows a renamed field, and what was filled in before or is filled in an earlier version finds it', async () => {
  const renaming = { ...fieldDeps, onKeyChange: renameFieldInForms }
  const field = await declareField(renaming, caller, { key: 'street', type: 'string' })
  const form = await formWith('street')
  const emails = ['eve@people.example', 'fay@people.example'] as const
  const waiting = await signUp(form, { email: emails[0], 'custom:street': 'Elm' })
  const renderToken = makeRenderToken(keys, { formKey: form.key, version: form.version, atMs: nowMs })
  await changeField(renaming, caller, { id: field.id, change: { key: 'road' } })
  await rewriteCustomField({ pool }, { workspaceId, fieldId: field.id }, AbortSignal.any([]))
  const followed = await readForm(deps, workspaceId, form.id)
  assert.deepEqual([followed.version, followed.fields[1]!.field], [form.version + 1, 'custom:road'])

  nowMs += 10_000
  const given = { renderToken, email: emails[1], 'custom:street': 'Oak' }
  const found = await findForm(pool, form.key)
  const page = { origin: baseUrl.origin, isOwn: true }
  assert.equal(
    (await takeArrival(deps, found!, { given, ip: '203.0.113.9', page, isPlain: true, isHeadless: false })).outcome,
    'taken',
  )
  const late = { workspaceId, submissionId: await lastSubmission(form) }
  for (const [n, link] of [waiting, late].entries()) {
    assert.equal((await confirmSignUp(deps, link, null)).state, 'confirmed')
    const [contact] = await contactsWithEmail(emails[n]!)
    assert.deepEqual(await customFieldsOf(contact!.id), { road: n === 0 ? 'Elm' : 'Oak' })
  }
  assert.deepEqual(await fieldKeys('street'), [])
})

test('a form that is made with the key that a field had before asks for it by the key that it has', async () => {
  const field = await declareField(fieldDeps, caller, { key: 'hat', type: 'string' })
  await changeField(fieldDeps, caller, { id: field.id, change: { key: 'cap' } })
  const { fields } = await formWith('hat')
  assert.equal(fields[1]!.field, 'custom:cap')
  await assert.rejects(formWith('hat', 'cap'), { errors: [{ pointer: '/fields/2/field', detail: 'is there twice' }] })
})

test('a form that is saved while a field that it asks for is renamed has both', async () => {
  const field = await declareField(fieldDeps, caller, { key: 'pet', type: 'string' })
  const form = await formWith('pet')
  let saved: Promise<Form> | undefined
  const enqueueRewrite = async () => {
    saved = updateForm(deps, caller, { id: form.id, change: { name: 'Header' } })
    saved.catch(() => undefined)
    await somebodyWaits(pool)
  }
  const renaming = { ...fieldDeps, enqueueRewrite, onKeyChange: renameFieldInForms }
  await changeField(renaming, caller, { id: field.id, change: { key: 'animal' } })
  const { name, version, fields } = await saved!
  assert.deepEqual([name, version, fields[1]!.field], ['Header', form.version + 2, 'custom:animal'])
})

const tagDeps = {
  ...{ sql: pool, enqueueSweep: async () => undefined, onDelete: async () => undefined },
  ...{ onRename: renameTagInForms, usedBy: formsNamingTag },
}

test('whoever filled in a form before its tag was renamed gets the tag', async () => {
  const tag = await createTag(tagDeps, caller, 'Reader')
  const form = await createForm(deps, caller, {
    name: 'Tagged',
    consentWording: 'Once a month',
    tags: ['reader', 'New'],
  })
  const email = 'hal@people.example'
  const link = await signUp(form, { email })
  await assert.rejects(deleteTag(tagDeps, caller, { id: tag.id }), {
    code: 'in-use',
    usedBy: [{ type: 'form', id: form.id, name: 'Tagged' }],
  })
  await renameTag(tagDeps, caller, { id: tag.id, name: 'Subscriber' })
  assert.deepEqual((await readForm(deps, workspaceId, form.id)).tags, ['Subscriber', 'New'])
  assert.equal((await confirmSignUp(deps, link, null)).state, 'confirmed')
  const [contact] = await contactsWithEmail(email)
  const text = `select t.name from contact_tags c join tags t on t.workspace_id = $1 and t.id = c.tag_id
    where c.workspace_id = $1 and c.contact_id = $2 order by t.name`
  assert.deepEqual(await rows(text, contact!.id), [{ name: 'New' }, { name: 'Subscriber' }])
})

const giving = (tag: string) => ({
  name: 'Tagged',
  consentWording: 'Once a month',
  challenge: 'off' as const,
  tags: [tag],
})

/** Has a form that gives a tag made, and does something to the tag before it is. */
async function whileMaking(tag: string, work: () => Promise<unknown>): Promise<Form> {
  const locked = await openTransaction(pool, (tx) => tx.query('lock table form_versions in exclusive mode'))
  const made = createForm(deps, caller, giving(tag))
  made.catch(() => undefined)
  await somebodyWaits(pool)
  const worked = work()
  worked.catch(() => undefined)
  await Promise.race([worked.catch(() => undefined), somebodyWaits(pool, 2)])
  await locked.commit()
  const form = await made
  await worked
  return form
}

test('a form follows a tag that is renamed while it is made', async () => {
  const { id } = await createTag(tagDeps, caller, 'Bird')
  const form = await whileMaking('bird', () => renameTag(tagDeps, caller, { id, name: 'Fowl' }))
  assert.deepEqual((await readForm(deps, workspaceId, form.id)).tags, ['Fowl'])
})

test('a tag is not deleted while a form that gives it is made', async () => {
  const { id } = await createTag(tagDeps, caller, 'Fish')
  await whileMaking('Fish', () => assert.rejects(deleteTag(tagDeps, caller, { id }), { code: 'in-use' }))
})

test('a form does not name a tag that somebody renames or deletes before its turn has come', async () => {
  const { id } = await createTag(tagDeps, caller, 'Mouse')
  const form = await createForm(deps, caller, giving('Cat'))
  let saved: Promise<unknown>[] = []
  const saving = async () => {
    saved = [
      createForm(deps, caller, giving(' mouse ')),
      updateForm(deps, caller, { id: form.id, change: { tags: ['mouse'] } }),
    ]
    for (const one of saved) one.catch(() => undefined)
    await Promise.race([...saved, somebodyWaits(pool, 2)])
  }
  await renameTag({ ...tagDeps, onRename: saving }, caller, { id, name: 'Rat' })
  const detail = 'names the tag “mouse”, which was renamed or deleted just now'
  for (const one of saved) await assert.rejects(one, { statusCode: 422, errors: [{ pointer: '/tags', detail }] })
  assert.deepEqual((await createForm(deps, caller, giving('Mouse'))).tags, ['Mouse'])
})

test('a sign-up that is being confirmed while the tag of its form is renamed gives that tag and no other', async () => {
  const { id } = await createTag(tagDeps, caller, 'Guest')
  const email = 'ida@people.example'
  const contact = await createContact({ sql: pool }, caller, { email })
  const link = await signUp(await createForm(deps, caller, giving('Guest')), { email })
  const held = await openTransaction(
    pool,
    (tx) => tx.query(`select from contacts where id = ${contact.id} for update`),
    workspaceId,
  )
  const confirmed = confirmSignUp(deps, link, null)
  confirmed.catch(() => undefined)
  await somebodyWaits(pool)
  const renamed = renameTag(tagDeps, caller, { id, name: 'Visitor' })
  await Promise.race([renamed, somebodyWaits(pool, 2)])
  await held.commit()
  await renamed
  assert.equal((await confirmed).state, 'confirmed')
  const text = `select t.name from contact_tags c join tags t on t.workspace_id = $1 and t.id = c.tag_id
    where c.workspace_id = $1 and c.contact_id = $2`
  assert.deepEqual(await rows(text, contact.id), [{ name: 'Visitor' }])
})

test('a field that was deleted after somebody had filled it in is not made anew by their confirmation', async () => {
  const field = await declareField(fieldDeps, caller, { key: 'shoe', type: 'string' })
  const email = 'gil@people.example'
  const link = await signUp(await formWith('shoe'), { email, 'custom:shoe': '43' })
  await deleteField(fieldDeps, caller, { id: field.id })
  await rewriteCustomField({ pool }, { workspaceId, fieldId: field.id }, AbortSignal.any([]))
  assert.equal((await confirmSignUp(deps, link, null)).state, 'confirmed')
  const [contact] = await contactsWithEmail(email)
  assert.deepEqual(await customFieldsOf(contact!.id), {})
  assert.deepEqual(await fieldKeys('shoe'), [])
})

test('the link of a form that is deleted while it is pressed twice is gone, and no fault', async () => {
  const form = await formWith()
  const link = await signUp(form, { email: 'dan@people.example' })
  const pressing = await openTransaction(
    pool,
    (tx) => submissionForChange(tx, workspaceId, link.submissionId),
    workspaceId,
  )
  const again = confirmSignUp(deps, link, null)
  again.catch(() => undefined)
  await somebodyWaits(pool)
  await deleteForm(deps, caller, { id: form.id })
  await pressing.commit()
  assert.deepEqual(await again, { state: 'gone' })
})

/** Does something that has to wait for the deletion of a form, and lets that commit then. */
async function besideDeletion<T>({ id }: Form, work: () => Promise<T>): Promise<T> {
  const deleting = await openTransaction(
    pool,
    (tx) => tx.query('delete from forms where workspace_id = $1 and id = $2', [workspaceId, id]),
    workspaceId,
  )
  const worked = work()
  worked.catch(() => undefined)
  await somebodyWaits(pool)
  await deleting.commit()
  return worked
}

test('what a program fills in of a form that is deleted meanwhile is refused as that of one that there is not', async () => {
  const form = await formWith()
  const submitted = besideDeletion(form, () =>
    submitOwn(deps, caller, { id: form.id, given: { email: 'e@p.example' } }),
  )
  await assert.rejects(submitted, { statusCode: 404 })
})

/** Arrivals by what they are. */
const ARRIVALS: Readonly<Record<string, (token: string, key: string) => Record<string, string>>> = {
  'is taken': (renderToken) => ({ renderToken }),
  'was not shown by us': () => ({}),
  'fell into the trap': (renderToken, key) => ({ renderToken, [honeypotOf(key)]: 'x' }),
}
const TYPES = { 'application/json': 'a script', 'application/x-www-form-urlencoded': 'a plain form' }

for (const [what, more] of Object.entries(ARRIVALS)) {
  for (const [type, by] of Object.entries(TYPES)) {
    test(`what ${what}, by ${by}, is answered 404 when its form is deleted meanwhile`, async () => {
      const form = await formWith()
      const url = `/collect/forms/${form.key}`
      const shown = await app.inject({ url })
      nowMs += 3_000
      const given = { email: 'eve@people.example', ...more(shown.json().renderToken, form.key) }
      const payload = type === 'application/json' ? JSON.stringify(given) : new URLSearchParams(given).toString()
      const headers = { 'content-type': type, origin: baseUrl.origin }
      const answer = await besideDeletion(form, () => app.inject({ method: 'POST', url, headers, payload }))
      assert.equal(answer.statusCode, 404, answer.body)
    })
  }
}
