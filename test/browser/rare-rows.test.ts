import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, type World } from './world.ts'

const skip = WITHOUT_BROWSER

/** More than one page of a list looks at. */
const OTHERS = 20_100

let world: World
before(async () => {
  if (!skip) world = await openWorld()
})
after(() => world?.close())

test('an event behind more than a page looks at is not said to be none, and found by looking further', {
  skip,
}, async () => {
  await world.instance.sql(
    `insert into events (workspace_id, id, recorded_at, type, name, subject, subject_id, data, occurred_at)
     select 1, 1000000 + n, now(), 'event.recorded', case n when 0 then 'order.paid' else 'page.view' end, '', 'user-' || n, '{}', now()
     from generate_series(0, $1::int) n`,
    [OTHERS],
  )
  const { page, faults, close } = await world.open('/app/default/events?action=order.paid')
  await page.getByRole('button', { name: 'Look further back' }).click()
  const list = page.getByRole('list', { name: 'Events, newest first' })
  await list.getByText('order.paid').waitFor()
  assert.equal(await list.getByRole('listitem').count(), 1)
  assert.deepEqual(faults, [])
  await close()
})

test('neither is a delivery', { skip }, async () => {
  const { json: made } = await world.site('POST', '/webhooks', { url: 'https://shop.example.com/hooks' })
  await world.instance.sql(
    `insert into deliveries (workspace_id, endpoint_id, event_id, event_type, state, body)
     select 1, $1, 1000000 + n, 'page.view', case n when 0 then 'discarded' else 'delivered' end, '{}' from generate_series(0, $2::int) n`,
    [made.id, OTHERS],
  )
  const { page, close } = await world.open(`/app/default/webhooks/${made.id}?state=discarded`)
  await page.getByRole('button', { name: 'Look further back' }).click()
  await page.getByRole('cell', { name: 'Discarded' }).waitFor()
  await close()
})
