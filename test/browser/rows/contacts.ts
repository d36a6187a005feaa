import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'

const LONG = 'Wolfeschlegelsteinhausenbergerdorffwelchevoralternwaren'

async function seed(world: World): Promise<string> {
  const { json } = await world.site('GET', '/contacts?email=ada%40example.com')
  if (json.totalItems > 0) return json.items[0].id
  const names = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing', 'Katherine Johnson', 'Edsger Dijkstra', 'Radia Perlman']
  const people = Array.from({ length: 60 }, (_, n) => {
    const [firstName = '', lastName = ''] = names[n % names.length]!.split(' ')
    const email = `${firstName.toLowerCase()}${n < names.length ? '' : n}@example.com`
    return {
      email,
      firstName,
      lastName,
      subjectId: `user-${n}`,
      customFields: { plan: n % 3 ? 'free' : 'gold', visits: n },
    }
  })
  people.push({
    email: `${'x'.repeat(60)}@${'long'.repeat(12)}.example.com`,
    firstName: LONG,
    lastName: LONG,
    subjectId: 'y'.repeat(180),
    customFields: { plan: 'gold', visits: 0 },
  })
  await world.site('POST', '/contacts/batch', { contacts: people })
  const found = await world.site('GET', '/contacts?email=ada%40example.com')
  const [ada] = found.json.items
  for (const name of ['VIP', 'Newsletter', 'Berlin office'])
    await world.site('POST', `/contacts/${ada.id}/tags`, { name })
  for (const subject of ['Your receipt', 'Welcome to the analytical engine'])
    await world.site('POST', '/emails', { destination: ada.email, subject, text: 'Thank you.' })
  await world.instance.sql(
    `insert into visitors (workspace_id, visitor_id, contact_id, proof, first_seen, last_seen)
     values (1, '0f8b2c6de1a94f0bb1f0c3d2e4a59687', $1, 'signed', '2026-10-02', '2026-11-20'),
       (1, '7c1d0fa2b3c4d5e6f708192a3b4c5d6e', $1, 'claimed', '2026-11-03', '2026-11-03')`,
    [ada.id],
  )
  return ada.id
}

export const rows: Row[] = [
  {
    route: '/contacts',
    name: 'contacts-empty',
    heading: 'Contacts',
    offers: [5, 5, 2],
  },
  {
    route: '/contacts',
    name: 'contacts',
    heading: 'Contacts',
    offers: [9, 8, 6],
    path: async (world) => {
      await seed(world)
      return '/contacts'
    },
  },
  {
    route: '/contacts',
    name: 'contacts-ordered',
    heading: 'Contacts',
    offers: [9, 8, 6],
    path: async (world) => {
      await seed(world)
      return '/contacts?sort=-email&field=plan&fieldValue=gold'
    },
  },
  {
    route: '/contacts',
    name: 'contacts-nobody-fits',
    heading: 'Contacts',
    offers: [6, 6, 5],
    path: async (world) => {
      await seed(world)
      return '/contacts?search=nobody-has-this'
    },
  },
  {
    route: '/contacts/$contactId',
    name: 'contact',
    heading: 'Ada Lovelace',
    offers: [15, 15, 4],
    path: async (world) => `/contacts/${await seed(world)}`,
  },
  {
    route: '/contacts/$contactId',
    name: 'contact-timeline',
    heading: 'Ada Lovelace',
    offers: [13, 13, 2],
    path: async (world) => `/contacts/${await seed(world)}?tab=events`,
  },
  {
    route: '/contacts/$contactId',
    name: 'contact-gone',
    heading: 'There is nothing here',
    offers: [0, 0, 0],
    answered: /404/,
    path: async () => '/contacts/999999999',
  },
]
