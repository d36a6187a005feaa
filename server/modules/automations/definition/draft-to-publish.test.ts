import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { insertTemplate, updateTemplateRow } from '../../templates/queries.ts'
import { canonicalJson } from './canonical-json.ts'
import { draftToPublish } from './draft-to-publish.ts'
import { publishVersion } from './publish-version.ts'
import { automationForChange, insertAutomation, setSwitches, updateWritten } from './queries.ts'

const { pool, workspaceId } = await testWorkspace()
const within = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, workspaceId, work)

test('a definition that leaves a version open is new where it would be as a draft, whatever the template is by now', async () => {
  const source = {
    workspaceId,
    name: 'Hello',
    key: null,
    subject: 'Hello',
    body: '<p>{{ unsubscribe_url }}</p>',
    text: null,
  }
  const template = await within((tx) => insertTemplate(tx, source))
  const given = (days: number) =>
    canonicalJson({
      ...{ format: 1, enter: { on: [{ event: 'came' }] }, start: 'm1' },
      nodes: { m1: { type: 'email', template: { id: template.id }, to: 'd1' }, d1: { type: 'delay', days, to: 'end' } },
    })
  const written = { name: 'Open', draft: given(1), steps: null, scenarios: '[]', segmentIds: [] }
  const key = await within(async (tx) => {
    const made = { workspaceId, id: (await insertAutomation(tx, workspaceId, written)).id }
    const publishedVersion = await publishVersion(tx, made, (await automationForChange(tx, made))!)
    await setSwitches(tx, made, { publishedVersion, entryOpen: true })
    return made
  })
  await within((tx) => updateTemplateRow(tx, { ...source, id: template.id, version: 2, subject: 'Hello again' }))
  for (const days of [1, 2]) {
    const planned = await within((tx) => draftToPublish(tx, { ...key, given: given(days) }))
    const saved = await within((tx) => updateWritten(tx, key, { ...written, draft: given(days) }))
    assert.deepEqual([planned.isNew, saved.draftChanged], [days === 2, days === 2])
  }
})
