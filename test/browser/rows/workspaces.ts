import type { Row } from '../route-rows.ts'

export const rows: Row[] = [
  { route: '/settings', name: 'settings', heading: 'Settings' },
  { route: '/workspaces', name: 'workspaces', heading: 'Workspaces' },
]
