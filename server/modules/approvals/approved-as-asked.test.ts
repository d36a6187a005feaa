import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approvalWorld } from '../../../test/support/approval-world.ts'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { ensureAllPartitions } from '../../../test/support/partitions.ts'
import { createAutomation } from '../automations/definition/manage-automations.ts'
import { readAutomation } from '../automations/definition/read-automations.ts'
import { createContact } from '../contacts/create-contact.ts'
import { createSegment, updateSegment } from '../segments/manage-segments.ts'
import { createTemplate } from '../templates/manage-templates.ts'
import { askApproval } from './ask-approval.ts'
import { readApproval } from './decide-approval.ts'
import { grant } from './grant.ts'

/* Changes that come between the look at what was asked for and the transaction that does it. */

const { pool, workspaceId, caller, deps, rows, agent } = await approvalWorld('automations:activate')
await ensureAllPartitions(pool)

const called = (name: string) =>
  JSON.stringify({ combinator: 'and', rules: [{ field: 'firstName', operator: '=', value: name }] })
const fromName = (name: string) =>
  rows('update integrations set from_name = $2 where workspace_id = $1 returning id', [name])
await fromName('Example')

/** Effects of a yes, by somebody who need not show a password for it. */
async function yes(id: string) {
  const asked = await readApproval(deps, workspaceId, id)
  return grant(deps, caller, { asked, decide: async () => asked })
}

/** Approves while somebody holds what the act itself needs, and changes something before it gets that. */
async function approveBeside(id: string, held: string, change: () => Promise<unknown>) {
  const holding = await openTransaction(pool, (tx) => tx.query(held), workspaceId)
  const approved = yes(id)
  approved.catch(() => undefined)
  await Promise.race([somebodyWaits(pool), approved])
  await change()
  await holding.commit()
  return approved
}

async function automation() {
  const { id: segmentId } = await createSegment(deps, caller, { name: crypto.randomUUID(), definition: called('Ann') })
  const body = '<p>Hello <a href="{{ unsubscribe_url }}">Out</a></p>'
  const { id } = await createAutomation(deps, caller, {
    name: 'Welcome',
    definition: {
      format: 1 as const,
      enter: { on: [{ segment: segmentId, schedule: { at: '09:00', on: ['mon'] } }] },
      start: 'm',
      nodes: { m: { type: 'email', subject: 'Hello', body, to: 'end' } },
    },
  })
  const { id: approval } = await askApproval(deps, agent, { act: 'automation', automationId: id })
  return { id, segmentId, approval, held: `select from automations where id = ${id} for update` }
}
const statusOf = async (id: string) => (await readAutomation(pool, { workspaceId, id })).status

test('an automation is not activated with other rules of its segment than were looked at', async () => {
  const { id, segmentId, approval, held } = await automation()
  const changing = () => updateSegment(deps, caller, { id: segmentId, change: { definition: called('Ben') } })
  await assert.rejects(approveBeside(approval, held, changing), /rules of its audience have changed/)
  assert.equal(await statusOf(id), 'draft')
})

test('nor from another sender', async () => {
  const { id, approval, held } = await automation()
  await assert.rejects(
    approveBeside(approval, held, () => fromName('Somebody else')),
    /its sender or the rules/,
  )
  await fromName('Example')
  assert.equal(await statusOf(id), 'draft')
  await yes(approval)
  assert.equal(await statusOf(id), 'active')
})

test('a mail is not sent from another sender, nor to who has another address, than were looked at', async () => {
  const sender = { ...caller, actor: agent.actor }
  const { id: templateId } = await createTemplate(deps, caller, { name: 'T', subject: 'Hello', body: '<p>Hello</p>' })
  const { id: contactId } = await createContact(deps, caller, { email: 'ann@people.example' })
  const { id } = await askApproval(deps, sender, { act: 'email', templateId, contactId })
  const held = 'lock table messages in share mode'
  const mails = async () => (await rows('select from emails where workspace_id = $1')).length
  await assert.rejects(
    approveBeside(id, held, () => fromName('Somebody else')),
    /its sender or the address has changed/,
  )
  await fromName('Example')
  const moving = () => rows(`update contacts set email = 'ann@elsewhere.example' where workspace_id = $1 returning id`)
  await assert.rejects(approveBeside(id, held, moving), /its sender or the address has changed/)
  assert.equal(await mails(), 0)
  await rows(`update contacts set email = 'ann@people.example' where workspace_id = $1 returning id`)
  await yes(id)
  assert.equal(await mails(), 1)
})
