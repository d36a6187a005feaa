import type { Feature } from '../../lib/feature.ts'
import { ActivityIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Events', to: '/events', icon: ActivityIcon, needs: 'events:read', key: 'e' }],
  routes: [{ path: '/events', title: 'Events', needs: 'events:read', page: () => import('./events-page.tsx') }],
}
