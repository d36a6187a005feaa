import type { Row } from '../route-rows.ts'

export const rows: Row[] = [
  { route: '/settings', name: 'settings', heading: 'Settings', offers: [1, 0, 0] },
  {
    route: '/settings',
    name: 'settings-consideration',
    heading: 'Settings',
    offers: [3, 0, 0],
    path: async (world) => {
      const quietHours = { from: '21:00', until: '08:00', zone: 'Europe/Berlin' }
      await world.site('PATCH', '/sending-settings', {
        quietHours,
        frequencyCap: { messages: 3, days: 7, waitHours: 72 },
      })
      const palette = [
        { name: 'Moss', color: '#2f6f4f' },
        { name: 'A colour with a name of forty characters', color: '#f4b942' },
      ]
      await world.site('PATCH', '', { palette, fontFamily: "Georgia, 'Times New Roman', serif" })
      return '/settings'
    },
  },
  { route: '/workspaces', name: 'workspaces', heading: 'Workspaces', offers: [1, 0, 0] },
]
