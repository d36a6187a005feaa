import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'

const NAME = 'Newsletter relay'

/** A mail server of one's own beside the mailbox; answers its id. */
async function seed(world: World): Promise<string> {
  const find = async () =>
    (await world.site('GET', '/integrations?pageSize=100')).json.items.find(
      ({ name }: { name: string }) => name === NAME,
    )
  if ((await find()) === undefined) {
    const config = {
      kind: 'smtp',
      host: 'smtp.example.com',
      port: 587,
      username: 'news',
      password: 'secret',
      from: 'news@example.com',
      fromName: 'Example News',
    }
    await world.site('POST', '/integrations', { name: NAME, maxPerDay: 50_000, config })
    await world.site('POST', '/integrations', {
      name: 'A name as long as names of integrations may well be, and then some more of it '.repeat(2),
      enabled: false,
      config: { ...config, from: `${'long'.repeat(15)}@${'long'.repeat(12)}.example.com` },
    })
  }
  return (await find()).id
}

export const rows: Row[] = [
  {
    route: '/integrations',
    name: 'integrations',
    heading: 'Integrations',
    offers: [1, 1, 1],
    path: async (world) => {
      await seed(world)
      return '/integrations'
    },
  },
  { route: '/integrations/new', name: 'integration-new', heading: 'New integration', offers: [3, 0, 0] },
  {
    route: '/integrations/$integrationId',
    name: 'integration',
    heading: NAME,
    offers: [6, 1, 1],
    path: async (world) => `/integrations/${await seed(world)}`,
  },
]
