import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'

const DEFINITION = {
  combinator: 'and',
  rules: [
    { field: 'tag', operator: 'has', value: 'VIP' },
    { field: 'event:email.opened', operator: 'performed', value: { atLeast: 2, withinLastDays: 30 } },
    {
      combinator: 'or',
      rules: [
        { field: 'email', operator: 'endsWith', value: '@example.com' },
        { field: 'created_at', operator: 'withinLastDays', value: '90' },
        { field: 'custom:a_field_of_a_very_long_name_that_nobody_declared', operator: 'notNull', value: '' },
      ],
    },
  ],
}

async function made(world: World, name: string, definition: object): Promise<string> {
  const { json } = await world.site('GET', `/segments?search=${encodeURIComponent(name)}`)
  if (json.totalItems > 0) return json.items[0].id
  return (await world.site('POST', '/segments', { name, definition: JSON.stringify(definition) })).json.id
}

const group = (field: string, operator: string, value: unknown) => ({
  combinator: 'and',
  rules: [{ field, operator, value }],
})

export const rows: Row[] = [
  {
    route: '/segments',
    name: 'segments-empty',
    heading: 'Segments',
    offers: [2, 2, 2],
    path: async () => '/segments?search=nothing-has-this',
  },
  {
    route: '/segments',
    name: 'segments',
    heading: 'Segments',
    offers: [1, 1, 1],
    path: async (world) => {
      await made(world, 'Active customers', DEFINITION)
      await made(world, `A segment of ${'a very long name '.repeat(8)}indeed`, { combinator: 'and', rules: [] })
      return '/segments'
    },
  },
  { route: '/segments/new', name: 'segment-new', heading: 'New segment', offers: [5, 5, 0] },
  {
    route: '/segments/$segmentId',
    name: 'segment',
    heading: 'Active customers',
    offers: [12, 12, 1],
    path: async (world) => `/segments/${await made(world, 'Active customers', DEFINITION)}`,
  },
  {
    route: '/segments/$segmentId',
    name: 'segment-everybody-of-a-domain',
    heading: 'Of a domain',
    offers: [5, 5, 1],
    path: async (world) => `/segments/${await made(world, 'Of a domain', group('email', 'endsWith', '@example.com'))}`,
  },
]
