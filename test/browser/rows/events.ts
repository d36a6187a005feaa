import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'

/** Events of a shop, stored like any others. */
async function seed(world: World): Promise<void> {
  const { sql } = world.instance
  const known = await sql('select from events where workspace_id = 1 and name = $1 limit 1', ['order.paid'])
  if (known.length > 0) return
  const token = await world.instance.makeToken(['events:write'])
  const events = Array.from({ length: 30 }, (_, n) => ({
    action: ['order.paid', 'page.view', 'x'.repeat(120)][n % 3],
    email: `user${n}@example.com`,
    properties: { total: n * 1.5, currency: 'EUR', note: 'long '.repeat(n) },
  }))
  const answer = await fetch(`${world.instance.baseUrl}/api/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ events }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  const page = await world.open('/app/default/events?action=order.paid')
  await page.page.getByText('order.paid').first().waitFor()
  await page.close()
}

const withEvents = (path: string) => async (world: World) => {
  await seed(world)
  return path
}

export const rows: Row[] = [
  { route: '/events', name: 'events', heading: 'Events', offers: [2, 2, 2], path: withEvents('/events') },
  {
    route: '/events',
    name: 'events-names',
    heading: 'Events',
    offers: [1, 1, 1],
    path: withEvents('/events?tab=names'),
  },
  {
    route: '/events',
    name: 'events-none-fits',
    heading: 'Events',
    offers: [4, 4, 4],
    path: async () => '/events?action=nobody.did.this',
  },
]
