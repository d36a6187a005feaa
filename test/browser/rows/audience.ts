import type { Row } from '../route-rows.ts'

export const rows: Row[] = [
  { route: '/contacts/tags', name: 'tags-empty', heading: 'Tags', offers: [3, 3, 1] },
  {
    route: '/contacts/tags',
    name: 'tags',
    heading: 'Tags',
    offers: [5, 5, 1],
    path: async (world) => {
      const { json } = await world.site('GET', '/tags?search=Seeded')
      for (let n = json.totalItems; n < 3; n += 1)
        await world.site('POST', '/tags', { name: `Seeded ${'long '.repeat(n * 6)}${n}` })
      return '/contacts/tags'
    },
  },
  {
    route: '/contacts/topics',
    name: 'topics-empty',
    heading: 'Topics',
    offers: [3, 3, 1],
    path: async () => '/contacts/topics?page=9',
  },
  {
    route: '/contacts/topics',
    name: 'topics',
    heading: 'Topics',
    offers: [4, 4, 1],
    path: async (world) => {
      const { json } = await world.site('GET', '/topics')
      if (json.totalItems === 0) {
        await world.site('POST', '/topics', { name: 'Product news', description: 'What is new, once a month.' })
        await world.site('POST', '/topics', {
          name: `Events ${'near you '.repeat(9)}`.trim(),
          subscription: 'opt_in',
          visibility: 'private',
        })
      }
      return '/contacts/topics'
    },
  },
  {
    route: '/contacts/fields',
    name: 'fields-empty',
    heading: 'Custom fields',
    offers: [3, 3, 1],
    path: async () => '/contacts/fields?page=9',
  },
  {
    route: '/contacts/fields',
    name: 'fields',
    heading: 'Custom fields',
    offers: [3, 3, 1],
    path: async (world) => {
      const { json } = await world.site('GET', '/custom-fields?key=plan')
      if (json.totalItems === 0)
        await world.site('POST', '/custom-fields', { key: 'plan', name: 'Plan', type: 'string' })
      return '/contacts/fields'
    },
  },
]
