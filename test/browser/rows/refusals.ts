import type { Row } from '../route-rows.ts'

export const rows: Row[] = [
  { route: '/suppressions', name: 'suppressions-empty', heading: 'Suppressions', offers: [6, 6, 2] },
  {
    route: '/suppressions',
    name: 'suppressions',
    heading: 'Suppressions',
    offers: [9, 9, 2],
    path: async (world) => {
      const list = [
        ['gone@example.com', 'bounce'],
        ['angry@example.com', 'complaint'],
        [`${'never'.repeat(10)}@${'again'.repeat(8)}.example.com`, 'manual'],
      ]
      for (const [destination, reason] of list) await world.site('POST', '/suppressions', { destination, reason })
      return '/suppressions'
    },
  },
  { route: '/suppressions/unsubscribes', name: 'unsubscribes-empty', heading: 'Unsubscribes', offers: [5, 5, 1] },
  {
    route: '/suppressions/unsubscribes',
    name: 'unsubscribes',
    heading: 'Unsubscribes',
    offers: [7, 7, 1],
    path: async (world) => {
      const { json } = await world.site('GET', '/unsubscribes?destination=leaver%40example.com')
      if (json.totalItems === 0) {
        await world.site('POST', '/unsubscribes', { destination: 'leaver@example.com' })
        await world.site('POST', '/unsubscribes', { destination: 'gone@example.com', sendingSource: 'everything' })
      }
      return '/suppressions/unsubscribes'
    },
  },
]
