import assert from 'node:assert/strict'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, type World } from './world.ts'

const skip = WITHOUT_BROWSER

let world: World
before(async () => {
  if (!skip) world = await openWorld()
})
after(() => world?.close())

test('whoever runs the installation sees what is parked; anybody else is refused in words', { skip }, async () => {
  await world.instance.sql(
    `insert into outbox_parked (consumer_group, tx, position, recorded_at, workspace_id, error, attempts)
     values ('webhooks', 1, 1, now(), 1, 'a fault', 3)`,
  )
  const { page, faults, close } = await world.open('/app/default/system')
  await page.getByText('1 event is parked: see below').waitFor()
  await page.getByRole('row', { name: 'Webhooks nothing 1' }).waitFor()
  assert.deepEqual(faults, [])
  await close()

  const { cookie } = await world.people.person('Admin', 'admin')
  const answer = await world.people.call('GET', '/site/system', { cookie })
  assert.equal(answer.status, 403)
  const refused = await world.open('/app/default/system', { cookie })
  await refused.page.getByRole('heading', { name: 'Your role does not include this' }).waitFor()
  // Neither an admin nor an owner of another workspace can give that role.
  await refused.page.getByText('One of them can make you another.').waitFor()
  assert.equal(await refused.page.getByText('An owner or admin can').count(), 0)
  assert.deepEqual(refused.faults, [])
  await refused.close()
})

test('whoever runs it reads why events are parked, and has them tried again once that is mended', {
  skip,
}, async () => {
  const { instance, site, people } = world
  await site('POST', '/contacts', { email: 'parked@example.com' })
  await instance.sql(`delete from outbox_parked;
    insert into outbox_parked (consumer_group, tx, position, recorded_at, workspace_id, error, attempts)
    select 'webhooks', tx, position, recorded_at, workspace_id, 'a fault', 3 from outbox where type = 'contact.created'`)
  await instance.sql(`create function still_broken() returns trigger language plpgsql as $$
      begin raise 'it is broken still'; end $$;
    create trigger still_broken before delete on outbox_parked execute function still_broken()`)
  const { cookie } = await people.person('No operator', 'admin')
  const answer = await people.call('POST', '/site/system/parked/replay', { cookie, json: {} })
  assert.equal(answer.status, 403)
  const { page, faults, close } = await world.open('/app/default/system')
  const parked = page.getByRole('region', { name: 'Parked events' }).first()
  const row = parked.getByRole('row').filter({ hasText: 'contact.created' })
  await row.getByText('a fault').waitFor()
  await row.getByRole('button', { name: 'Try again' }).click()
  await row.getByText('it is broken still').waitFor()
  await instance.sql('drop trigger still_broken on outbox_parked')
  await parked.getByRole('button', { name: 'Try all again' }).click()
  await page.getByText('All is well').waitFor()
  assert.equal(await parked.count(), 0)
  const { items } = (await site('GET', '/audit-entries?action=installation.replay_parked')).json
  assert.deepEqual(
    items.map((entry: { diff: { reader: { to: string | null } } }) => entry.diff.reader.to),
    [null, 'webhooks'],
  )
  assert.deepEqual(faults, [])
  await close()
})

test('whoever runs it sees of when the last backup is, and is told of one that is too old', { skip }, async () => {
  const { instance } = world
  const { page, faults, close } = await world.open('/app/default/system')
  const backups = page.getByRole('region', { name: 'Backups' })
  await backups.getByText('None was taken yet.').waitFor()
  await instance.sql(`update installation set backed_up_at = now() - interval '1 hour', backed_up_bytes = 12300000`)
  await backups.getByText('12.3 MB, read to its end').waitFor()
  assert.match(await instance.metrics(), /^postroom_last_backup_timestamp_seconds(?:\{[^}]*\})? 1\.?\d+/m)
  await instance.sql(`update installation set backed_up_at = now() - interval '3 days'`)
  await page.getByText('The last backup is older than two days').waitFor()
  await instance.sql(`update installation set backed_up_at = now() - interval '1 day'`)
  await instance.sql(`update backup_schedule set hour = 3;
    insert into backups (file_name, state, ended_at, error) values ('postroom-night.backup', 'failed', now(), 'the disk is full')`)
  await page.getByText('The backup of the night has failed: the disk is full.').waitFor()
  assert.match(await instance.metrics(), /^postroom_nightly_backup_failed(?:\{[^}]*\})? 1$/m)
  await instance.sql('update backup_schedule set hour = null; delete from backups')
  await instance.sql('update installation set backed_up_at = null')
  assert.deepEqual(faults, [])
  await close()
})

test('whoever runs it has a backup taken, gets its file by their password, removes it, and has one taken every night', {
  skip,
}, async () => {
  const { instance, site, people } = world
  const { page, faults, close } = await world.open('/app/default/system')
  const backups = page.getByRole('region', { name: 'Backups' }).first()
  await backups.getByText('None was taken yet. None is taken by itself.').waitFor()
  const now = backups.getByRole('button', { name: 'Back up now' })
  await now.press('Enter')
  await backups.getByText('Whole', { exact: true }).waitFor()
  await eventually('the button has the focus that it had', () => now.evaluate((one) => one.matches(':focus')))
  await backups.getByText('read to its end. None is taken by itself.').waitFor()
  const { items } = (await people.call('GET', '/site/system/backups', { cookie: world.cookie })).json
  assert.deepEqual([items.length, items[0].state, items[0].isHere], [1, 'done', true])

  const more = backups.getByRole('button', { name: 'More' })
  await more.click()
  await page.getByRole('menuitem', { name: 'Download' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Your password').fill('not it at all')
  await dialog.getByRole('button', { name: 'Download' }).click()
  await dialog.getByText('Is not yours').waitFor()
  await dialog.getByLabel('Your password').fill(instance.password)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ])
  assert.equal(download.suggestedFilename(), items[0].fileName)
  const file = await readFile(await download.path())
  assert.deepEqual(file, await readFile(join(instance.dataDir, 'backups', items[0].fileName)))
  await dialog.waitFor({ state: 'detached' })

  await more.click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await dialog.getByRole('button', { name: 'Remove it' }).click()
  await more.waitFor({ state: 'detached' })
  assert.deepEqual(await readdir(join(instance.dataDir, 'backups')), [])

  await instance.sql(`insert into backups (file_name, asked_by, state, ended_at, error)
    values ('postroom-failed.backup', 'Ada', 'failed', now(), 'BACKUP_DIR cannot be used: permission denied (/backups)')`)
  await backups.getByRole('button', { name: 'Every night' }).click()
  await dialog.getByRole('switch', { name: 'Take one every night' }).click()
  await dialog.getByLabel('How many of them are kept').fill('0')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText(/must be >= 1|at least 1/i).waitFor()
  await dialog.getByLabel('How many of them are kept').fill('3')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await backups.getByText(/One is taken every night at .*, and the last 3 of those are kept\./).waitFor()
  await backups.getByText('BACKUP_DIR cannot be used: permission denied (/backups)').waitFor()
  assert.deepEqual((await instance.sql('select hour, kept from backup_schedule'))[0], { hour: 3, kept: 3 })
  await instance.sql(
    'update backup_schedule set hour = null; delete from backups; update installation set backed_up_at = null',
  )

  const acts = (await site('GET', '/audit-entries?targetType=installation')).json.items
  for (const act of ['take_backup', 'download_backup', 'delete_backup', 'schedule_backups'])
    assert.ok(
      acts.some(({ action }: { action: string }) => action === `installation.${act}`),
      act,
    )
  const others = faults.filter((fault) => !fault.includes('400 (Bad Request)'))
  assert.deepEqual(others, [])
  await close()
})

test('a link to the file of a backup is of one person, one file and one minute', { skip }, async () => {
  const { instance, people } = world
  const ask = (method: string, path: string, cookie = world.cookie, json?: object) =>
    people.call(method, `/site/system/backups${path}`, { cookie, ...(json ? { json } : {}) })
  const other = await people.person('Nobody', 'admin')
  const stranger = other.cookie
  const calls = [
    ['GET', ''],
    ['POST', ''],
    ['PUT', '/schedule', { hour: 1, kept: 1 }],
    ['DELETE', '/1'],
  ] as const
  for (const [method, path, json] of calls) assert.equal((await ask(method, path, stranger, json)).status, 403, path)
  const { json: one } = await ask('POST', '')
  assert.equal((await ask('POST', `/${one.id}/file`, world.cookie, { password: instance.password })).status, 404)
  const { id } = one
  await eventually('it is whole', async () => (await ask('GET', '')).json.items[0].state === 'done')
  const { json: link } = await ask('POST', `/${id}/file`, world.cookie, { password: instance.password })
  const get = (path: string, cookie = world.cookie) => people.call('GET', path, { cookie })
  assert.equal((await get(link.path)).status, 200)
  assert.equal((await get(link.path, stranger)).status, 403)
  assert.equal((await get(link.path.replace(/key=./, 'key=_'))).status, 404)
  await instance.sql(`update memberships set role = 'owner' where user_id = $1`, [other.id])
  assert.equal((await get(link.path, stranger)).status, 404, 'of another owner')
  await rm(join(instance.dataDir, 'backups'), { recursive: true })
  const gone = await ask('POST', `/${id}/file`, world.cookie, { password: instance.password })
  assert.deepEqual([gone.status, /is not in .*backups of the process/.test(gone.json.detail)], [409, true])
  assert.equal((await ask('DELETE', `/${id}`)).status, 204)
  assert.equal((await ask('DELETE', `/${id}`)).status, 404)
})

test('whoever runs it is told of people in automations who are not where the sums say', { skip }, async () => {
  const { instance } = world
  const { page, faults, close } = await world.open('/app/default/system')
  const automations = page.getByRole('region', { name: 'Automations' }).first()
  await automations.getByText(/^(Everybody is, as of|Not looked at yet)/).waitFor()
  // The look itself, which is taken every minute, finds the same.
  await instance.sql(`insert into node_totals (workspace_id, automation_id, version, node, kind, shard, total)
      values (1, 999, 1, 'd1', 'entered', 0, 1)`)
  await instance.sql(`insert into automation_faults (fault, found) values ('sums', 1)
      on conflict (fault) do update set found = 1`)
  await automations.getByText('Nodes at which more or fewer stand than their totals say').waitFor()
  await page.getByText('Somebody in an automation is not where they should be: see below.').waitFor()
  await instance.sql('delete from node_totals; delete from node_hours')
  await instance.sql('update automation_faults set found = 0')
  await automations.getByText('Everybody is, as of').waitFor()
  assert.deepEqual(faults, [])
  await close()
})

test('whoever runs it is told that the disk of the database is full, until there is room', {
  skip,
}, async () => {
  const { instance, site } = world
  await instance.sql('delete from outbox_parked')
  const { page, faults, close } = await world.open('/app/default/system')
  await page.getByText('All is well').waitFor()
  await instance.sql(`create function no_room() returns trigger language plpgsql as $$
      begin raise 'could not extend file: No space left on device' using errcode = '53100'; end $$;
    create function no_room_ddl() returns event_trigger language plpgsql as $$
      begin raise 'could not extend file: No space left on device' using errcode = '53100'; end $$;
    create trigger no_room before insert on tags execute function no_room();
    create event trigger no_room on ddl_command_start execute function no_room_ddl()`)
  await assert.rejects(site('POST', '/tags', { name: 'Lost' }), /503/)
  await page.getByText('The database takes no writes: its disk is full').waitFor()
  await instance.sql('drop event trigger no_room; drop trigger no_room on tags')
  await page.getByText('All is well').waitFor()
  assert.deepEqual(faults, [])
  await close()
})

test('whoever runs it is told of jobs that wait long, and of a service that does not answer any more', {
  skip,
}, async () => {
  let answer = { status: 200, queues: [{ queue: 'default', ready: 3, oldestAgeSeconds: 600 }] }
  const before = async (page: Page) => {
    await page.route('**/site/system', async (route) => {
      const response = await route.fetch()
      if (answer.status !== 200) return route.fulfill({ status: answer.status, body: '' })
      return route.fulfill({ response, json: { ...(await response.json()), queues: answer.queues } })
    })
  }
  const { page, close } = await world.open('/app/default/system', { before })
  await page.getByText('Jobs wait long: default.').waitFor()
  answer = { status: 200, queues: [] }
  await page.getByText('All is well').waitFor()
  answer = { status: 500, queues: [] }
  await page.getByText('This is how it was').waitFor()
  await page.getByText('All is well').waitFor({ state: 'detached' })
  answer = { status: 200, queues: [] }
  await page.getByText('All is well').waitFor()
  await close()
})

test('a setting is saved where it was changed, and a viewer has no button that would be refused', {
  skip,
}, async () => {
  const { page, faults, close } = await world.open('/app/default/settings')
  await page.getByLabel('Choose the colour of buttons').fill('#2257d6')
  const brand = page.getByRole('region', { name: 'Seen by readers' })
  await brand.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  assert.equal((await world.site('GET', '')).json.color, '#2257d6')
  const looks = page.getByRole('region', { name: 'Looks of mails' })
  await looks.getByRole('button', { name: 'Add a colour' }).click()
  await looks.getByLabel('Name of colour 1').fill('Moss')
  await looks.getByLabel('Choose colour 1').fill('#2f6f4f')
  await looks.getByLabel('Font of mails').fill('Georgia, serif')
  const looked = page.waitForResponse((answer) => answer.request().method() === 'PATCH')
  await looks.getByRole('button', { name: 'Save' }).click()
  await looked
  const { palette, fontFamily } = (await world.site('GET', '')).json
  assert.deepEqual([palette, fontFamily], [[{ name: 'Moss', color: '#2f6f4f' }], 'Georgia, serif'])
  await page.getByLabel('Postal address').fill('1 Analytical Way, London')
  const sending = page.getByRole('region', { name: 'Sending' })
  const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH')
  await sending.getByRole('button', { name: 'Save' }).click()
  await saved
  assert.deepEqual(faults, [])
  assert.equal((await world.site('GET', '/sending-settings')).json.postalAddress, '1 Analytical Way, London')
  await close()
  const { cookie } = await world.people.person('Reader', 'viewer')
  const viewed = await world.open('/app/default/settings', { cookie })
  await viewed.page.getByText('You can read these.').waitFor()
  assert.equal(await viewed.page.getByRole('button', { name: 'Save' }).count(), 0)
  await viewed.close()
})

test('every page tells that a restored installation is held, and its owner lets it go on', { skip }, async () => {
  await world.instance.sql(`update installation set held_since = now(), held_reason = 'told'`)
  const band = { name: 'Sending is held' }
  const { cookie } = await world.people.person('Onlooker', 'admin')
  const seen = await world.open('/app/default/team', { cookie })
  const told = seen.page.getByRole('complementary', band)
  await told.waitFor()
  assert.equal(await told.getByRole('link').count(), 0, 'leads whom it would refuse')
  await seen.close()

  const { page, faults, close } = await world.open('/app/default/team')
  await page.getByRole('complementary', band).getByRole('link').click()
  await page.getByText('somebody said on the command line').waitFor()
  await page.getByRole('button', { name: 'Let it go on' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Send it' }).check()
  await dialog.getByRole('button', { name: 'Let it go on' }).click()
  const isHeld = async () =>
    (await world.people.call('GET', '/site/restoration', { cookie: world.cookie })).json.held as boolean
  await eventually('it goes on', async () => !(await isHeld()))
  await page.getByRole('complementary', band).waitFor({ state: 'detached' })
  assert.deepEqual(faults, [])
  await close()
})
