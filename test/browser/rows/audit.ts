import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'

async function seed(world: World): Promise<void> {
  const { json } = await world.site('GET', '/tags?search=audited')
  if (json.totalItems > 0) return
  const { json: tag } = await world.site('POST', '/tags', { name: 'audited' })
  await world.site('PATCH', `/tags/${tag.id}`, { name: `audited ${'and of a long name '.repeat(4)}` })
}

export const rows: Row[] = [
  {
    route: '/audit',
    name: 'audit',
    heading: 'Audit log',
    offers: [3, 0, 0],
    path: async (world) => {
      await seed(world)
      return '/audit'
    },
  },
  {
    route: '/audit',
    name: 'audit-none-fits',
    heading: 'Audit log',
    offers: [6, 0, 0],
    path: async () => '/audit?action=nothing.did_this&ip=192.0.2.1',
  },
]
