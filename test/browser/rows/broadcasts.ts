import { eventually } from '../../support/eventually.ts'
import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'

const BODY = `<mjml>
  <mj-body background-color="#f4f4f6">
    <mj-section background-color="#ffffff">
      <mj-column>
        <mj-text font-size="22px">Hello {{ first_name | default: "there" }}</mj-text>
        <mj-text>The analytical engine weaves algebraic patterns, just as the loom weaves flowers and leaves.</mj-text>
        <mj-button href="https://example.com/engine">Read on</mj-button>
        <mj-text font-size="12px"><a href="{{ unsubscribe_url }}">Unsubscribe</a></mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`

/** The broadcast of this name, made when it is not there. */
async function broadcast(world: World, name: string, content: object = {}): Promise<{ id: string; isNew: boolean }> {
  const { json } = await world.site('GET', `/broadcasts?search=${encodeURIComponent(name)}`)
  if (json.totalItems > 0) return { id: json.items[0].id, isNew: false }
  const made = await world.site('POST', '/broadcasts', {
    name,
    subject: 'News for {{ first_name }}',
    body: BODY,
    ...content,
  })
  return { id: made.json.id, isNew: true }
}

async function people(world: World): Promise<void> {
  const contacts = Array.from({ length: 40 }, (_, n) => ({ email: `reader${n}@example.com`, firstName: `Reader ${n}` }))
  await world.site('POST', '/contacts/batch', { contacts })
  for (const destination of ['reader1@example.com', 'reader2@example.com']) {
    await world.site('POST', '/unsubscribes', { destination, sendingSource: 'broadcasts' })
  }
  await world.site('POST', '/suppressions', { destination: 'reader3@example.com' })
}

/** One that went out to everybody, into the mailbox; its first reader opened it and followed the link. */
export async function sentBroadcast(world: World): Promise<string> {
  const { id, isNew } = await broadcast(world, 'November news')
  if (!isNew) return id
  await people(world)
  await world.site('POST', `/broadcasts/${id}/send`)
  await eventually('it is sent', async () => (await world.site('GET', `/broadcasts/${id}`)).json.status === 'sent')
  await world.instance.sql(
    `update messages set opened_at = now(), clicked_at = case when id % 2 = 0 then now() end
     where source_kind = 'broadcast' and source_id = $1 and state = 'accepted' and id % 3 = 0`,
    [id],
  )
  await world.instance.sql(
    `insert into hit_totals (workspace_id, broadcast_id, kind, link, url, human_hits, machine_hits, human_messages, machine_messages)
     values (1, $1, 'open', -1, null, 9, 14, 7, 12), (1, $1, 'click', -1, null, 5, 2, 4, 2),
       (1, $1, 'click', 0, 'https://example.com/engine', 5, 2, 4, 2)`,
    [id],
  )
  return id
}

export const rows: Row[] = [
  { route: '/broadcasts', name: 'broadcasts-empty', heading: 'Broadcasts', offers: [1, 1, 1] },
  { route: '/broadcasts/new', name: 'broadcast-new', heading: 'New broadcast', offers: [21, 21, 0] },
  {
    route: '/broadcasts',
    name: 'broadcasts',
    heading: 'Broadcasts',
    offers: [1, 1, 1],
    path: async (world) => {
      await sentBroadcast(world)
      await broadcast(world, 'A draft with a name that is far too long for any list of broadcasts '.repeat(2).trim())
      return '/broadcasts'
    },
  },
  {
    route: '/broadcasts',
    name: 'broadcasts-none-fits',
    heading: 'Broadcasts',
    offers: [4, 4, 4],
    path: async (world) => {
      await sentBroadcast(world)
      return '/broadcasts?search=nothing-has-this'
    },
  },
  {
    route: '/broadcasts/$broadcastId',
    name: 'broadcast-compose',
    heading: 'December news',
    offers: [18, 18, 1],
    path: async (world) => `/broadcasts/${(await broadcast(world, 'December news')).id}`,
  },
  {
    route: '/broadcasts/$broadcastId',
    name: 'broadcast-compose-faulty',
    answered: /status of 422/,
    heading: 'Not ready',
    offers: [15, 15, 1],
    path: async (world) => {
      const body =
        '<mjml><mj-body><mj-section><mj-column>\n<mj-text>{{ x | shout }}</mj-text></mj-column></mj-section></mj-body></mjml>'
      return `/broadcasts/${(await broadcast(world, 'Not ready', { subject: '', body })).id}`
    },
  },
  {
    route: '/broadcasts/$broadcastId',
    name: 'broadcast-scheduled',
    heading: 'New year',
    offers: [3, 3, 1],
    path: async (world) => {
      await people(world)
      const { id, isNew } = await broadcast(world, 'New year')
      if (isNew) await world.site('POST', `/broadcasts/${id}/schedule`, { scheduledAt: '2036-12-31T08:00:00Z' })
      return `/broadcasts/${id}`
    },
  },
  {
    route: '/broadcasts/$broadcastId',
    name: 'broadcast-report',
    heading: 'November news',
    offers: [4, 4, 2],
    path: async (world) => `/broadcasts/${await sentBroadcast(world)}`,
  },
  {
    route: '/broadcasts/$broadcastId',
    name: 'broadcast-recipients',
    heading: 'November news',
    offers: [2, 2, 1],
    path: async (world) => `/broadcasts/${await sentBroadcast(world)}?tab=recipients`,
  },
  {
    route: '/broadcasts/$broadcastId',
    name: 'broadcast-heat-map',
    heading: 'November news',
    offers: [5, 5, 4],
    path: async (world) => `/broadcasts/${await sentBroadcast(world)}?tab=clicks`,
  },
]
