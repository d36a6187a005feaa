import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'

async function seed(world: World): Promise<void> {
  const { json } = await world.site('GET', '/invitations')
  if (json.totalItems > 0) return
  await world.site('POST', '/invitations', { email: 'grace@example.com', role: 'member' })
  await world.site('POST', '/invitations', {
    email: `${'x'.repeat(60)}@${'long'.repeat(12)}.example.com`,
    role: 'admin',
  })
  await world.people.person('Colleague', 'admin')
}

export const rows: Row[] = [
  {
    route: '/team',
    name: 'team',
    heading: 'Team',
    offers: [5, 1, 1],
    path: async (world) => {
      await seed(world)
      return '/team'
    },
  },
  {
    route: '/team',
    name: 'team-invitations',
    heading: 'Team',
    offers: [3, 1, 1],
    path: async (world) => {
      await seed(world)
      return '/team?tab=invitations'
    },
  },
  { route: '/team', name: 'team-roles', heading: 'Team', offers: [1, 0, 0], path: async () => '/team?tab=roles' },
]
