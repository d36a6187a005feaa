import { after, before, test } from 'node:test'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type World } from './world.ts'

const skip = WITHOUT_BROWSER

let world: World
before(async () => {
  if (!skip) world = await openWorld()
})
after(() => world?.close())

test('dates and times are written as they are where the browser is from', { skip }, async () => {
  await world.site('POST', '/contacts', { email: 'grace@example.com' })
  const body = '<p>Hello. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>'
  const { id } = (await world.site('POST', '/broadcasts', { name: 'New year', subject: 'Hello', body })).json
  await world.site('POST', `/broadcasts/${id}/schedule`, { scheduledAt: '2036-12-31T14:05:00Z' })
  for (const [locale, told] of [
    ['de-DE', '31 Dec 2036, 15:05'],
    ['fr', '31 Dec 2036, 15:05'],
    // Nobody has said how English is written there: as in Britain.
    ['ko-KR', '31 Dec 2036, 15:05'],
    ['en-US', /Dec 31, 2036, 3:05\sPM/],
  ] as const) {
    const { page, close } = await world.open(`/app/default/broadcasts/${id}`, { locale })
    await page.locator('time').getByText(told).waitFor()
    await close()
  }
})

test('a birthday and a moment are told as people write them, and changed as they are written', { skip }, async () => {
  for (const [key, type] of [
    ['birthday', 'date'],
    ['since', 'date'],
    ['seen', 'datetime'],
  ]) {
    await world.site('POST', '/custom-fields', { key, name: key, type })
  }
  const customFields = { birthday: '--02-29', since: '1980-12-24', seen: '2026-01-31T09:00:00Z', code: '--99-99' }
  const { id } = (await world.site('POST', '/contacts', { email: 'ada@example.com', customFields })).json
  const { page, close } = await world.open(`/app/default/contacts/${id}`, { zone: 'Pacific/Kiritimati' })
  await settled(page)
  const told = page.getByRole('region', { name: 'Custom fields' })
  for (const text of ['29 Feb', '24 Dec 1980', '31 Jan 2026, 09:00 UTC', '--99-99']) {
    await told.getByRole('button', { name: text }).waitFor()
  }
  await told.getByRole('button', { name: '29 Feb' }).click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('--10-09')
  await page.keyboard.press('Enter')
  await told.getByRole('button', { name: '9 Oct' }).waitFor()
  await page.goto('/app/default/contacts?columns=fields')
  await page.getByText(/seen: 31 Jan 2026, 09:00 UTC, since: 24 Dec 1980 and 1 more/).waitFor()
  await close()
})

test('the mailbox tells times as the dashboard does, in its list and of a mail', { skip }, async () => {
  const [row] = await world.instance.sql<{ id: string }>(
    `insert into caught_mails (workspace_id, mail_from, recipients, subject, from_text, to_text, raw, bytes, received_at)
     values (1, '', '{ada@example.com}', 'Hello', 'Shop', 'Ada', 'Subject: Hello\r\n\r\nx', 20, '2026-01-31T14:05:00Z') returning id`,
  )
  for (const [locale, told] of [
    ['de-DE', '31 Jan 2026, 15:05'],
    ['ko-KR', '31 Jan 2026, 15:05'],
    ['en-US', /Jan 31, 2026, 3:05\sPM/],
  ] as const) {
    const { page, close } = await world.open('/app/mailbox/default', { locale })
    await page.locator('time').getByText(told).waitFor()
    await page.goto(`/app/mailbox/default/${row!.id}`)
    await page.locator('time').getByText(told).waitFor()
    await close()
  }
})
