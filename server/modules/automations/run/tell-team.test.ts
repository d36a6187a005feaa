import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeOwner } from '../../../../test/automations/engine-worlds.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { migrateJobs } from '../../../platform/jobs/schema.ts'
import type { SystemMail } from '../../system-mail/system-mailer.ts'
import { createCompiledCache } from '../../templates/compiled-cache.ts'
import { publishVersion } from '../definition/publish-version.ts'
import { automationForChange, setSwitches } from '../definition/queries.ts'
import { putEntries } from '../entry/put-entries.ts'
import { forgetRuns } from './forget-runs.ts'
import { moveRuns } from './move-runs.ts'
import { NAMED_MAX } from './note-notices.ts'
import { takeStretch } from './take-stretch.ts'
import { NOTICE_EVERY_MINUTES, tellTeam } from './tell-team.ts'

const { pool, workspaceId } = await testWorkspace()
await migrateJobs(pool, ['default'])
await makeOwner(pool, workspaceId)
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values })
const OWNER = `owner-${workspaceId}@example.com`

test('however many come there is one mail in ten minutes, with everybody counted and the first named', async () => {
  const key = await automation({ subject: 'Came', message: 'Call {{ first_name }} & co' })
  const many = 3 * NAMED_MAX
  const [first, ...others] = await contacts(many)
  await come(key, [first!])
  const one = await told(key)
  assert.deepEqual([one.outcome, one.mails.length], ['ok', 1])
  const [mail] = one.mails
  assert.deepEqual([mail!.recipient, mail!.content.subject], [OWNER, 'Came'])
  assert.match(mail!.content.paragraphs.join('\n'), /^P0 \(p0-.*has come to the step “Came”[\s\S]*\nCall P0 & co$/m)
  assert.match(mail!.content.link!.url, new RegExp(`/contacts/${first}$`))
  assert.deepEqual((await jobs()).length, 1, 'one job, however many turns ask for it')

  for (const part of [others.slice(0, 1), others.slice(1)]) await come(key, part)
  const early = await told(key)
  assert.deepEqual([early.outcome, early.mails], ['snooze', []])
  assert.ok((await named()) <= 2 * NAMED_MAX, 'no more rows than can be named')
  await inTransaction(pool, workspaceId, (tx) => forgetRuns(tx, workspaceId, [others[0]!]))
  await rows('delete from contacts where id = $1', [others[0]])
  await laterOn()
  const digest = await told(key)
  assert.equal(digest.mails.length, 1)
  const { subject, paragraphs, link } = digest.mails[0]!.content
  assert.equal(subject, `Came: ${many - 1} people`)
  const listed = paragraphs.filter((line) => /^- P\d+ \(.*: Call P\d+ & co$/.test(line))
  assert.ok(listed.length > 0 && listed.length <= NAMED_MAX, paragraphs.join('\n'))
  assert.match(paragraphs.at(-1)!, new RegExp(`^- and ${many - 1 - listed.length} more`))
  assert.match(link!.url, new RegExp(`/automations/${key.automationId}$`))
  await laterOn()
  assert.deepEqual((await told(key)).mails, [], 'nobody is told twice')
  assert.deepEqual(await rows('select from automation_notices'), [])
})

test('members who were named are told while they are members, and nobody else', async () => {
  const key = await automation({ subject: 'For Ada', members: ['ada@example.com', 'gone@example.com'] })
  await rows(
    `with u as (insert into users (email, name, password_hash) values ('ada@example.com', 'Ada', '$argon2id$none'),
         ('gone@example.com', 'Gone', '$argon2id$none') returning id)
     insert into memberships (workspace_id, user_id, role) select $1, id, 'viewer' from u`,
    [workspaceId],
  )
  const [one, other, last] = await contacts(3)
  await come(key, [one!])
  await rows(`delete from memberships using users u where u.id = user_id and u.email = 'gone@example.com'`)
  assert.deepEqual(
    (await told(key)).mails.map(({ recipient }) => recipient),
    ['ada@example.com'],
  )
  await come(key, [other!])
  await inTransaction(pool, workspaceId, (tx) => moveRuns(tx, workspaceId, { fromId: other!, toId: last! }))
  const [held] = await rows<{ contact: string }>('select contact_id as contact from automation_notice_people')
  assert.equal(held!.contact, last, 'the survivor is named')
  await rows(`delete from memberships using users u where u.id = user_id and u.email = 'ada@example.com'`)
  await laterOn()
  assert.deepEqual((await told(key)).mails, [])
  await come(key, [one!])
  assert.deepEqual(await rows('select from automation_notices'), [], 'nobody is left to tell')
})

test('a message that fails for somebody is told all the same', async () => {
  const key = await automation({
    subject: 'Odd',
    message: '{% for n in (1..event.many) %}{{ n }}{{ event.long }}{% endfor %}',
  })
  await come(key, (await contacts(1)).slice(0, 1))
  const { mails } = await told(key)
  assert.equal(mails.length, 1)
})

type Key = { workspaceId: string; automationId: string }

async function automation(node: object): Promise<Key> {
  const nodes = { tell: { type: 'notify', ...node, to: 'end' } }
  const enter = { on: [{ manual: true }], again: { mode: 'every' } }
  return inTransaction(pool, workspaceId, async (tx) => {
    const { rows: made } = await tx.query<{ id: string }>(
      `insert into automations (workspace_id, name, draft) values ($1, 'Telling', $2) returning id`,
      [workspaceId, JSON.stringify({ format: 1, enter, start: 'tell', nodes })],
    )
    const key = { workspaceId, id: made[0]!.id }
    const publishedVersion = await publishVersion(tx, key, (await automationForChange(tx, key))!)
    await setSwitches(tx, key, { publishedVersion, entryOpen: true })
    await tx.query(`update automation_lanes set state = 'running', job_id = gen_random_uuid(), turn = 1`)
    return { workspaceId, automationId: key.id }
  })
}

let made = 0
async function contacts(count: number): Promise<string[]> {
  const found = await rows<{ id: string }>(
    `insert into contacts (workspace_id, email, first_name)
     select $1, 'p' || n || '-' || $3 || '@example.com', 'P' || n from generate_series(0, $2::int - 1) n returning id`,
    [workspaceId, count, ++made],
  )
  return found.map(({ id }) => id)
}

async function come(key: Key, ids: readonly string[]): Promise<void> {
  const at = new Date().toISOString()
  await inTransaction(pool, workspaceId, (tx) =>
    putEntries(tx, key, { wanting: ids.map((contactId) => ({ contactId, depth: 0 })), at }),
  )
  for (const slot of [0, 1]) {
    const clock = new Date().toISOString()
    await takeStretch(pool, { ...key, slot, turn: '1', jobId: '' }, { times: { clock, through: clock } })
  }
}

async function told(key: Key): Promise<{ outcome: string; mails: SystemMail[] }> {
  const mails: SystemMail[] = []
  const mailer = {
    queue: async (_tx: unknown, mail: SystemMail) => void mails.push(mail),
    dashboardUrl: (path: string) => `https://mail.example/app/${path}`,
  }
  const { outcome } = await tellTeam({ pool, mailer, compiled: createCompiledCache() }, key)
  return { outcome, mails }
}

const named = async () =>
  Number((await rows<{ n: string }>('select count(*) as n from automation_notice_people'))[0]!.n)
const jobs = () => rows(`select from jobs.job where data ->> 'kind' = 'tell_team' or name = 'tell_team'`)
const laterOn = () =>
  rows(`update automation_notice_paces set told_at = told_at - make_interval(mins => ${NOTICE_EVERY_MINUTES})`)
