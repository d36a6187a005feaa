import { eventually } from '../../support/eventually.ts'
import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'

const CSV = `Email Address,First Name,Plan,Signed up,TAGS
grace@example.com,Grace,pro,2025-02-03,"VIP; Navy"
not an address,Nobody,,,
hedy@example.com,Hedy,free,2025-04-05,
,,,,
`

async function uploaded(world: World, fileName: string): Promise<string> {
  const { json } = await world.site('GET', '/contacts/imports')
  const found = json.items.find((one: { fileName: string }) => one.fileName === fileName)
  return found?.id ?? (await world.site('POST', '/contacts/imports', { csv: CSV, fileName })).json.id
}

async function done(world: World): Promise<string> {
  const id = await uploaded(world, 'done.csv')
  const read = async () => (await world.site('GET', `/contacts/imports/${id}`)).json
  if ((await read()).state === 'uploaded')
    await world.site('POST', `/contacts/imports/${id}/start`, { consent: 'unconfirmed' })
  await eventually('the import', async () => (await read()).state === 'done', 60_000)
  return id
}

async function exported(world: World): Promise<void> {
  const { json } = await world.site('GET', '/contacts/exports')
  if (json.totalItems === 0) await world.site('POST', '/contacts/exports', { filter: { tag: 'VIP' } })
  const isDone = async () => (await world.site('GET', '/contacts/exports')).json.items[0].state === 'done'
  await eventually('the export', isDone, 60_000)
}

export const rows: Row[] = [
  { route: '/contacts/imports', name: 'imports-empty', heading: 'Imports', offers: [1, 1, 1] },
  {
    route: '/contacts/imports',
    name: 'imports',
    heading: 'Imports',
    offers: [1, 1, 1],
    path: async (world) => {
      await done(world)
      await uploaded(world, `${'a-long-name-of-a-file-'.repeat(6)}.csv`)
      return '/contacts/imports'
    },
  },
  { route: '/contacts/imports/new', name: 'import-new', heading: 'Import contacts', offers: [1, 1, 0] },
  {
    route: '/contacts/imports/$importId',
    name: 'import-columns',
    heading: 'people.csv',
    offers: [2, 2, 1],
    path: async (world) => `/contacts/imports/${await uploaded(world, 'people.csv')}`,
  },
  {
    route: '/contacts/imports/$importId',
    name: 'import-done',
    heading: 'done.csv',
    offers: [1, 1, 1],
    path: async (world) => `/contacts/imports/${await done(world)}`,
  },
  { route: '/contacts/exports', name: 'exports-empty', heading: 'Exports', offers: [3, 3, 3] },
  {
    route: '/contacts/exports',
    name: 'exports',
    heading: 'Exports',
    offers: [2, 2, 2],
    path: async (world) => {
      await exported(world)
      return '/contacts/exports'
    },
  },
]
