import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'

const SHOP = {
  name: 'Shop',
  allowedOrigins: [
    'https://shop.example',
    'https://*.shop.example',
    `https://${'a-very-long-name-of-a-host.'.repeat(8)}example`,
  ],
  allowedActions: ['page.view', 'cart.added'],
  serverOnlyActions: ['order.paid'],
}

/** The ids of one that has seen everything, and of one that is paused and open to any site. */
async function seed(world: World): Promise<{ shop: string; paused: string }> {
  const { json } = await world.site('GET', '/trackers')
  const idOf = (name: string) => json.items.find((one: { name: string }) => one.name === name)?.id as string | undefined
  const known = { shop: idOf('Shop'), paused: idOf('Old blog') }
  if (known.shop !== undefined && known.paused !== undefined) return { shop: known.shop, paused: known.paused }
  const { json: shop } = await world.site('POST', '/trackers', SHOP)
  await world.site('POST', `/trackers/${shop.id}/rotate-key`)
  await world.site('POST', `/trackers/${shop.id}/identity-keys`)
  const event = { id: 'row', action: 'cart.added', properties: { sku: 'A-1', url: 'https://shop.example/a' } }
  const body = { key: shop.key, sentAt: new Date().toISOString(), consent: 'granted', events: [event] }
  await fetch(`${world.instance.baseUrl}/collect/events`, {
    ...{ method: 'POST', body: JSON.stringify(body) },
    headers: {
      'content-type': 'text/plain',
      origin: 'https://shop.example',
      'user-agent': 'Mozilla/5.0 Firefox/145.0',
    },
  })
  const { json: paused } = await world.site('POST', '/trackers', {
    name: 'Old blog',
    paused: true,
    consentMode: 'cookieless',
    respectGpc: false,
  })
  const { sql } = world.instance
  await sql(
    `insert into tracker_days (workspace_id, tracker_id, day, outcome, events, last_at)
     select 1, $1, (now() at time zone 'UTC')::date, outcome, events, now()
     from (values ('recorded', 48210), ('rejected', 12), ('bot', 913), ('consent', 4), ('gpc', 1)) o (outcome, events)
     on conflict (workspace_id, tracker_id, day, outcome) do update set events = excluded.events`,
    [shop.id],
  )
  await sql(
    `insert into tracker_refusals (workspace_id, tracker_id, origin, requests, last_at)
     values (1, $1, 'https://copycat.example', 41, now()), (1, $1, 'none', 1, now() - interval '3 hours')`,
    [shop.id],
  )
  await sql(
    `with known as (
       insert into contacts (workspace_id, email) values (1, 'conflict-one@example.com'), (1, 'conflict-two@example.com')
       on conflict do nothing returning id)
     insert into identity_conflicts (workspace_id, kind, alias, contact_id, other_contact_id)
     select 1, k.kind, k.alias, min(id), case when k.kind = 'too-many-visitors' then null else max(id) end
     from known, (values ('alias-taken', 'email'), ('too-many-visitors', null)) k (kind, alias) group by k.kind, k.alias`,
  )
  return { shop: shop.id, paused: paused.id }
}

async function deleteAll(world: World): Promise<string> {
  const { json } = await world.site('GET', '/trackers')
  for (const { id } of json.items) await world.site('DELETE', `/trackers/${id}`)
  return '/trackers'
}

export const rows: Row[] = [
  { route: '/trackers', name: 'trackers-empty', heading: 'Trackers', offers: [3, 3, 1], path: deleteAll },
  {
    route: '/trackers',
    name: 'trackers',
    heading: 'Trackers',
    offers: [5, 5, 1],
    path: async (world) => {
      await seed(world)
      return '/trackers'
    },
  },
  {
    route: '/trackers/$trackerId',
    name: 'tracker',
    heading: 'Shop',
    offers: [6, 6, 2],
    path: async (world) => `/trackers/${(await seed(world)).shop}`,
  },
  {
    route: '/trackers/$trackerId',
    name: 'tracker-paused',
    heading: 'Old blog',
    offers: [5, 5, 2],
    path: async (world) => `/trackers/${(await seed(world)).paused}`,
  },
]
