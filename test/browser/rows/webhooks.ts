import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'

const LONG_URL = `https://receiver.example/${'hooks-of-a-very-long-name/'.repeat(12)}`

/** Endpoints that fare in every way, the first with a log; answers its id. */
async function seed(world: World): Promise<string> {
  const { json } = await world.site('GET', '/webhooks')
  if (json.totalItems > 0) return json.items[0].id
  const made: string[] = []
  for (const [url, eventTypes] of [
    ['https://shop.example/hooks/postroom', []],
    [
      'https://crm.example/incoming',
      ['contact.created', 'contact.updated', 'email.bounced', 'order.paid', 'order.sent'],
    ],
    [LONG_URL, ['order.paid']],
    ['https://old.example/hook', ['email.complained']],
  ] as const) {
    const { json: endpoint } = await world.site('POST', '/webhooks', { url, eventTypes })
    made.push(endpoint.id)
  }
  const [shop, crm, , old] = made
  const { sql } = world.instance
  await sql(`update webhook_lanes set failing_since = now() - interval '9 hours' where endpoint_id = $1`, [crm])
  await sql(`update webhook_endpoints set enabled = false, disabled_reason = 'gone' where id = $1`, [old])
  const deliveries = await sql<{ id: string }>(
    `insert into deliveries (workspace_id, endpoint_id, event_id, event_type, body, state, created_at, finished_at)
     select 1, $1, 1000 + n, case when n % 4 = 0 then 'contact.created' else 'order.paid' end,
       '{"id":"' || 1000 + n || '","type":"order.paid","occurredAt":"2026-11-21T08:00:00.500000Z","workspaceId":1,' ||
       '"subject":"user-' || n || '","data":{"workspaceId":1,"action":"order.paid","properties":{"total":12.5}}}',
       case when n = 38 then 'discarded' else 'delivered' end, now() - make_interval(mins => 40 - n), now()
     from generate_series(1, 40) n returning id`,
    [shop],
  )
  await sql(
    `insert into delivery_attempts (workspace_id, delivery_id, started_at, attempt, outcome, status, error, duration_ms, response)
     select 1, d, now() - make_interval(mins => 10 - a), a, case when a = 3 then 'lost' else 'failed' end,
       case when a < 3 then 500 end, case when a = 3 then 'worker_lost' when a = 4 then 'connection: refused' else 'status_not_2xx' end,
       case when a <> 3 then 118 + a end, case when a < 3 then '{"error":"the database is away"}' end
     from unnest($1::bigint[]) with ordinality as one (d, n), generate_series(1, 4) a where n = 38`,
    [deliveries.map(({ id }) => id)],
  )
  await sql(
    `insert into delivery_attempts (workspace_id, delivery_id, started_at, attempt, outcome, status, duration_ms, response)
     select 1, d, now() - make_interval(mins => 41 - n::int), 1, 'delivered', 200, 84 + n, 'ok'
     from unnest($1::bigint[]) with ordinality as one (d, n) where n <> 38`,
    [deliveries.map(({ id }) => id)],
  )
  return shop!
}

async function discarded(world: World): Promise<string> {
  const endpoint = await seed(world)
  const { json } = await world.site('GET', `/webhooks/${endpoint}/deliveries?state=discarded`)
  return `/webhooks/${endpoint}?delivery=${json.items[0].id}`
}

export const rows: Row[] = [
  { route: '/webhooks', name: 'webhooks-empty', heading: 'Webhooks', offers: [3, 3, 1] },
  {
    route: '/webhooks',
    name: 'webhooks',
    heading: 'Webhooks',
    offers: [2, 2, 1],
    path: async (world) => {
      await seed(world)
      return '/webhooks'
    },
  },
  {
    route: '/webhooks/$endpointId',
    name: 'webhook',
    heading: 'shop.example/hooks/postroom',
    offers: [6, 6, 2],
    path: async (world) => `/webhooks/${await seed(world)}`,
  },
  {
    route: '/webhooks/$endpointId',
    name: 'webhook-delivery',
    heading: 'shop.example/hooks/postroom',
    offers: [1, 1, 0],
    path: discarded,
  },
]
