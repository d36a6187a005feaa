import type { Feature } from '../../lib/feature.ts'
import { UsersGroupIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Team', to: '/team', icon: UsersGroupIcon, needs: 'members:read' }],
  routes: [{ path: '/team', title: 'Team', needs: 'members:read', page: () => import('./team-page.tsx') }],
}
