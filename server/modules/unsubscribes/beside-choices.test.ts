import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { holdForConsent } from '../consents/hold-for-consent.ts'
import { createContact } from '../contacts/create-contact.ts'
import { createUnsubscribe, deleteUnsubscribe, listUnsubscribes } from './manage-unsubscribes.ts'
import { choosePreferences } from './preferences.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const deps = { sql: pool }

test('a no that its person and the workspace take back at once is gone, and they do not wait for each other in vain', async () => {
  const email = 'ada@example.com'
  const { id: contactId } = await createContact(deps, caller, { email })
  const { id } = await createUnsubscribe(deps, caller, { destination: email })
  const link = { workspaceId, messageId: '999', contactId, destination: email, sendingSource: 'broadcasts' } as const
  const other = await openTransaction(pool, (tx) => holdForConsent(tx, workspaceId, [contactId]), workspaceId)
  const byPerson = choosePreferences(deps, link, { wanted: ['broadcasts', 'automations'], ip: null })
  await somebodyWaits(pool, 1)
  const byWorkspace = deleteUnsubscribe(deps, caller, { id, ifMatch: undefined }).catch((error: unknown) => error)
  await somebodyWaits(pool, 2)
  await other.commit()
  const [preferences, refused] = await Promise.all([byPerson, byWorkspace])
  assert.equal(preferences?.sources.find(({ source }) => source === 'broadcasts')?.wanted, true)
  // The person was before: there is nothing left to take back.
  assert.equal((refused as { code?: string } | undefined)?.code, 'not-found')
  assert.deepEqual((await listUnsubscribes(deps, workspaceId, { page: 1, pageSize: 25 })).items, [])
})
