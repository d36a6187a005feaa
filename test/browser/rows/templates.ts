import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'

async function template(world: World, name: string): Promise<string> {
  const { json } = await world.site('GET', `/templates?search=${encodeURIComponent(name)}`)
  if (json.totalItems > 0) return json.items[0].id
  const samples = await world.site('GET', '/templates/samples')
  const { subject, body, text } = samples.json.items[0]
  const made = await world.site('POST', '/templates', { name, subject, body, text })
  await world.site('PATCH', `/templates/${made.json.id}`, { body: `${body}\n` })
  return made.json.id
}

/** A picture of one pixel. */
const PICTURE = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'

export const rows: Row[] = [
  { route: '/templates', name: 'templates-empty', heading: 'Templates', offers: [1, 1, 1] },
  {
    route: '/templates',
    name: 'templates',
    heading: 'Templates',
    offers: [1, 1, 1],
    path: async (world) => {
      await template(world, 'Monthly letter')
      return '/templates'
    },
  },
  { route: '/templates/new', name: 'template-new', heading: 'New template', offers: [29, 29, 0] },
  {
    route: '/templates/$templateId',
    name: 'template',
    heading: 'Monthly letter',
    offers: [38, 38, 7],
    path: async (world) => `/templates/${await template(world, 'Monthly letter')}`,
  },
  {
    route: '/templates/$templateId',
    name: 'template-code',
    heading: 'Monthly letter',
    offers: [10, 10, 7],
    path: async (world) => `/templates/${await template(world, 'Monthly letter')}?write=code`,
  },
  {
    route: '/templates/$templateId',
    name: 'template-versions',
    heading: 'Monthly letter',
    offers: [3, 3, 2],
    path: async (world) => `/templates/${await template(world, 'Monthly letter')}?open=versions`,
  },
  { route: '/templates/images', name: 'images-empty', heading: 'Images', offers: [2, 2, 1] },
  {
    route: '/templates/images',
    name: 'images',
    heading: 'Images',
    offers: [3, 3, 1],
    path: async (world) => {
      await world.site('POST', '/assets', {
        name: 'A picture of a small wood in autumn, from above.gif',
        data: PICTURE,
      })
      return '/templates/images'
    },
  },
]
