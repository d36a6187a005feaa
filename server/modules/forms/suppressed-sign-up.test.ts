import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { pressOnPage } from '../../../test/support/press-on-page.ts'
import { quietServer } from '../../../test/support/quiet-server.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { secretBox, secretKeys } from '../../platform/crypto/secret-box.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { createLinkKeys } from '../tracking/link-keys.ts'
import { createSubjects } from './mail-budgets.ts'
import { createForm } from './manage-forms.ts'
import { signUpPath } from './sign-up-link.ts'
import { signUpPages } from './sign-up-pages.ts'
import { submitOwn } from './submit-own.ts'

const { pool, workspaceId, caller } = await testWorkspace()
await migrateJobs(pool, ['default'])
const keys = secretKeys([{ id: 'k1', key: randomBytes(32) }])
const linkKeys = createLinkKeys({ sql: pool, keys })
await linkKeys.ready()
const rest = { subjects: createSubjects(keys), bindVisitor: async () => undefined, now: () => Date.now() }
const deps = { sql: pool, keys, secrets: secretBox(keys), baseUrl: new URL('https://mail.example.com/'), ...rest }
const app = quietServer({ trustProxy: true, https: true })
signUpPages(app, { ...deps, linkKeys })
await app.ready()
after(() => app.close())

const rows = <R extends object>(text: string, ...values: unknown[]) =>
  queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })

test('a person who confirms while the address is suppressed is not told that mail comes, nor why none does', async () => {
  const confirmedUrl = 'https://shop.example/thanks'
  const content = {
    name: 'Footer',
    consentWording: 'Once a month',
    challenge: 'off',
    fields: [{ field: 'email' }],
  } as const
  const linkFor = async (email: string, more: { confirmedUrl?: string } = {}) => {
    const form = await createForm(deps, caller, { ...content, ...more, name: email, fields: [{ field: 'email' }] })
    await submitOwn(deps, caller, { id: form.id, given: { email } })
    const [last] = await rows<{ id: string }>('select max(id) as id from form_submissions where workspace_id = $1')
    return `/${signUpPath(linkKeys.current(), { workspaceId, submissionId: last!.id })}`
  }
  const suppress = (email: string) =>
    rows(`insert into suppressions (workspace_id, destination, reason) values ($1, $2, 'manual') returning id`, email)
  const [mailed, silent, led] = [
    await linkFor('ada@people.example'),
    await linkFor('bob@people.example'),
    await linkFor('cyd@people.example', { confirmedUrl }),
  ]
  await suppress('bob@people.example')
  await suppress('cyd@people.example')
  assert.match((await pressOnPage(app, { url: mailed })).body, /writes to you from now on/)
  const page = (await pressOnPage(app, { url: silent })).body
  assert.match(page, /It is confirmed\. For now, though, .* sends nothing to this address/)
  assert.doesNotMatch(page, /writes to you|manual|suppress/i)
  assert.match(
    (await pressOnPage(app, { url: led })).body,
    /sends nothing to this address/,
    'a page of theirs may promise mail',
  )
  await rows(`delete from suppressions where workspace_id = $1 returning id`)
  assert.match((await app.inject(silent)).body, /writes to you from now on/)
})
