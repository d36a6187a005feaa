import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { ensureAllPartitions } from '../../../../test/support/partitions.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { PURPOSES, type Purpose, type SourceKind } from '../message-source.ts'
import { HEEDING, REFUSAL, RULES } from './refusal.ts'

const { pool, workspaceId } = await testWorkspace()
await ensureAllPartitions(pool)
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })

const unsubscribed = (destination: string, source: string) =>
  rows('insert into unsubscribes (workspace_id, destination, sending_source) values ($1, $2, $3)', [
    destination,
    source,
  ])

/** A contact in a state; null: one that is no more. */
async function person(state: string, prepare: (email: string) => Promise<unknown> = async () => undefined) {
  const email = `${state}@example.com`
  const [contact] = await rows<{ id: string }>(
    'insert into contacts (workspace_id, email) values ($1, $2) returning id',
    [email],
  )
  await prepare(email)
  await rows(`insert into contact_consents (workspace_id, contact_id, provenance) values ($1, $2, 'double_opt_in')`, [
    contact!.id,
  ])
  return { contactId: contact!.id, destination: email }
}

await rows('insert into sending_settings (workspace_id, double_opt_in) values ($1, true)')
const fine = await person('fine')
const silent = await person('silent')
await rows('delete from contact_consents where workspace_id = $1 and contact_id = $2', [silent.contactId])
const unproven = await person('unproven')
await rows(`insert into unproven_contacts (workspace_id, contact_id, visitor_id) values ($1, $2, 'v')`, [
  unproven.contactId,
])
const PEOPLE = {
  fine,
  suppressed: await person('suppressed', (email) =>
    rows(`insert into suppressions (workspace_id, destination, reason) values ($1, $2, 'complaint')`, [email]),
  ),
  everything: await person('everything', (email) => unsubscribed(email, 'everything')),
  broadcasts: await person('broadcasts', (email) => unsubscribed(email, 'broadcasts')),
  'automation:7': await person('automation7', (email) => unsubscribed(email, 'automation:7')),
  'automation:77': await person('automation77', (email) => unsubscribed(email, 'automation:77')),
  automations: await person('automations', (email) => unsubscribed(email, 'automations')),
  'automations but 7': await person('but7', async (email) => {
    await unsubscribed(email, 'automations')
    await rows(`update unsubscribes set kept_automations = '{7}' where workspace_id = $1 and destination = $2`, [email])
  }),
  silent,
  unproven,
  gone: { contactId: '999999', destination: 'gone@example.com' },
  nobody: { contactId: null, destination: 'nobody@example.com' },
  addressless: { contactId: fine.contactId, destination: '' },
  erased: { contactId: null, destination: '' },
  'suppressed, everything': await person('both', async (email) => {
    await unsubscribed(email, 'everything')
    await rows(`insert into suppressions (workspace_id, destination, reason) values ($1, $2, 'bounce')`, [email])
  }),
}
type State = keyof typeof PEOPLE

const EVERYTHING = 'skipped:unsubscribed_everything'
const SOURCE = 'skipped:unsubscribed_source'
const MARKETING = {
  suppressed: 'suppressed:complaint',
  everything: EVERYTHING,
  silent: 'skipped:unconfirmed',
  unproven: 'skipped:unproven',
  gone: 'skipped:contact_gone',
  nobody: 'skipped:contact_gone',
  addressless: 'skipped:no_email',
  erased: 'skipped:contact_gone',
  'suppressed, everything': 'suppressed:bounce',
}
const ADDRESSED = {
  suppressed: 'suppressed:complaint',
  addressless: 'skipped:no_email',
  erased: 'skipped:contact_gone',
  'suppressed, everything': 'suppressed:bounce',
}

/** Of each message what stands against it, by the state of its person; what is not named goes. */
const TABLE: [Purpose, SourceKind, sourceId: string | null, Partial<Record<State, string>>][] = [
  ['marketing', 'broadcast', '7', { ...MARKETING, broadcasts: SOURCE }],
  ['marketing', 'automation', '7', { ...MARKETING, 'automation:7': SOURCE, automations: SOURCE }],
  [
    'marketing',
    'automation',
    '77',
    { ...MARKETING, 'automation:77': SOURCE, automations: SOURCE, 'automations but 7': SOURCE },
  ],
  [
    'service',
    'automation',
    '7',
    { ...ADDRESSED, gone: 'skipped:contact_gone', nobody: 'skipped:contact_gone', unproven: 'skipped:unproven' },
  ],
  ['transactional', 'email', null, ADDRESSED],
  ['system', 'confirmation', null, { ...ADDRESSED, everything: EVERYTHING, unproven: 'skipped:unproven' }],
  ['system', 'test', null, {}],
]

for (const [purpose, sourceKind, sourceId, refusals] of TABLE) {
  test(`${purpose} mail of ${sourceKind} ${sourceId ?? ''} goes to whom it may and to nobody else`, async () => {
    for (const [state, { contactId, destination }] of Object.entries(PEOPLE)) {
      const [row] = await rows<{ refusal: string | null }>(
        `select ${REFUSAL} as refusal from (select $1::bigint as workspace_id, $2::text as purpose, $3::text as source_kind,
           $4::bigint as source_id, null::bigint as topic_id, $5::bigint as contact_id, $6::text as destination) m`,
        [purpose, sourceKind, sourceId, contactId, destination],
      )
      assert.equal(row!.refusal, refusals[state as State] ?? null, `to ${state}`)
    }
  })
}

test('the database takes each source with the purposes of the table and no others, and an id where there is one', async () => {
  const kinds = ['broadcast', 'automation', 'email', 'confirmation', 'test', 'other']
  const taken: string[] = []
  for (const kind of kinds) {
    for (const purpose of PURPOSES) {
      for (const id of ['7', null]) {
        await rows(
          `insert into messages (workspace_id, purpose, source_kind, source_id, contact_id, destination)
           values ($1, $2, $3, $4, nextval('message_id'), 'x@example.com')`,
          [purpose, kind, id],
        ).then(
          () => taken.push(`${purpose} ${kind} ${id}`),
          (error) => assert.equal(error.code, '23514'),
        )
      }
    }
  }
  const ofTable = HEEDING.map(({ purpose, sourceKind }) => {
    const hasId = sourceKind === 'broadcast' || sourceKind === 'automation'
    return `${purpose} ${sourceKind} ${hasId ? '7' : null}`
  })
  assert.deepEqual(taken.sort(), ofTable.sort())
})

test('the guide has the same table', async () => {
  const guide = await readFile(new URL('../../../../docs/guides/sending.md', import.meta.url), 'utf8')
  const told = guide
    .split('\n')
    .filter((line) => PURPOSES.some((purpose) => line.startsWith(`| ${purpose} |`)))
    .map((line) => line.split('|').slice(1, -1))
    .map(([purpose, source, , ...cells]) => [
      purpose!.trim(),
      /`([a-z]+)`/.exec(source!)![1],
      RULES.filter((_, index) => cells[index]!.trim() === 'yes'),
    ])
  assert.deepEqual(
    told,
    HEEDING.map(({ purpose, sourceKind, heeds }) => [purpose, sourceKind, [...heeds]]),
  )
})
