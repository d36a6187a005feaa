import type { Row } from '../route-rows.ts'

export const rows: Row[] = [
  { route: '/contacts/tags', name: 'tags-empty', heading: 'Tags' },
  {
    route: '/contacts/tags',
    name: 'tags',
    heading: 'Tags',
    path: async (world) => {
      const { json } = await world.site('GET', '/tags?search=Seeded')
      for (let n = json.totalItems; n < 3; n += 1)
        await world.site('POST', '/tags', { name: `Seeded ${'long '.repeat(n * 6)}${n}` })
      return '/contacts/tags'
    },
  },
  {
    route: '/contacts/fields',
    name: 'fields-empty',
    heading: 'Custom fields',
    path: async () => '/contacts/fields?page=9',
  },
  {
    route: '/contacts/fields',
    name: 'fields',
    heading: 'Custom fields',
    path: async (world) => {
      const { json } = await world.site('GET', '/custom-fields?key=plan')
      if (json.totalItems === 0)
        await world.site('POST', '/custom-fields', { key: 'plan', name: 'Plan', type: 'string' })
      return '/contacts/fields'
    },
  },
]
