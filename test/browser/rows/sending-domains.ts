import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'

/** A verified domain, one whose records are missing or wrong, and one of a long name; answers the ids of the first two. */
async function seed(world: World): Promise<{ verified: string; missing: string }> {
  const known = (await world.site('GET', '/sending-domains?search=example')).json
  if (known.totalItems === 0) {
    for (const domain of ['example.com', 'news.example.co.uk', `${'a-very-long-name.'.repeat(8)}example.com`])
      await world.site('POST', '/sending-domains', { domain })
  }
  const { items } = (await world.site('GET', '/sending-domains?search=example')).json
  const idOf = (name: string) => items.find(({ domain }: { domain: string }) => domain === name).id as string
  return { verified: idOf('example.com'), missing: idOf('news.example.co.uk') }
}

export const rows: Row[] = [
  {
    route: '/domains',
    name: 'domains',
    heading: 'Domains',
    offers: [2, 1, 1],
    path: async (world) => {
      await seed(world)
      return '/domains'
    },
  },
  {
    route: '/domains',
    name: 'domains-none-fits',
    heading: 'Domains',
    offers: [5, 4, 4],
    path: async () => '/domains?search=nobody-has-this',
  },
  {
    route: '/domains/$domainId',
    name: 'domain',
    heading: 'news.example.co.uk',
    offers: [3, 1, 1],
    path: async (world) => `/domains/${(await seed(world)).missing}`,
  },
]
