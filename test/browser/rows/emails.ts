import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'
import { sentBroadcast } from './broadcasts.ts'

async function messageOf(world: World, query: string): Promise<string> {
  await sentBroadcast(world)
  const { json } = await world.site('GET', `/messages?${query}`)
  return json.items[0].id
}

export const rows: Row[] = [
  {
    route: '/messages',
    name: 'messages',
    heading: 'Messages',
    offers: [2, 2, 2],
    path: async (world) => {
      await sentBroadcast(world)
      return '/messages'
    },
  },
  {
    route: '/messages',
    name: 'messages-none-fits',
    heading: 'Messages',
    offers: [3, 3, 3],
    path: async () => '/messages?destination=nobody%40example.com',
  },
  {
    route: '/messages/$messageId',
    name: 'message-sent',
    heading: 'reader5@example.com',
    offers: [2, 2, 2],
    path: async (world) => `/messages/${await messageOf(world, 'destination=reader5%40example.com')}`,
  },
  {
    route: '/messages/$messageId',
    name: 'message-skipped',
    heading: 'reader1@example.com',
    offers: [2, 2, 2],
    path: async (world) => `/messages/${await messageOf(world, 'destination=reader1%40example.com')}`,
  },
]
