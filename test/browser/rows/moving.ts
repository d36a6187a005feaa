import { eventually } from '../../support/eventually.ts'
import { mailchimpArchive } from '../../support/mailchimp-archive.ts'
import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'

type Move = { id: string; state: string }

async function moveOf(world: World, state: 'read' | 'done'): Promise<string> {
  const all = async () => (await world.site('GET', '/moves')).json.items as Move[]
  const known = (await all()).find((move) => move.state === state)
  if (known) return known.id
  const upload = await world.people.call('POST', '/site/workspaces/default/moves/files?source=mailchimp-archive', {
    cookie: world.cookie,
    body: mailchimpArchive(),
    headers: { 'content-type': 'application/zip' },
  })
  const { id } = upload.json
  const is = async (wanted: string) => (await all()).some((move) => move.id === id && move.state === wanted)
  await eventually('the archive is read', () => is('read'), 60_000)
  if (state === 'read') return id
  await world.site('POST', `/moves/${id}/start`)
  await eventually('the archive has come in', () => is('done'), 60_000)
  return id
}

export const rows: Row[] = [
  { route: '/moves', name: 'moves-empty', heading: 'Move here', offers: [0, 0, 0] },
  { route: '/moves/new', name: 'move-new', heading: 'Move here', offers: [2, 2, 0] },
  {
    route: '/moves/$moveId',
    name: 'move-done',
    heading: 'From Mailchimp',
    offers: [0, 0, 0],
    path: async (world) => `/moves/${await moveOf(world, 'done')}`,
  },
  {
    route: '/moves/$moveId',
    name: 'move-read',
    heading: 'From Mailchimp',
    offers: [2, 2, 0],
    path: async (world) => `/moves/${await moveOf(world, 'read')}`,
  },
  {
    route: '/moves',
    name: 'moves',
    heading: 'Move here',
    offers: [0, 0, 0],
    path: async (world) => {
      await moveOf(world, 'done')
      return '/moves'
    },
  },
]
