import type { Feature } from '../../lib/feature.ts'
import { RadarIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Trackers', to: '/trackers', icon: RadarIcon, needs: 'trackers:read', key: 'r' }],
  routes: [
    { path: '/trackers', title: 'Trackers', needs: 'trackers:read', page: () => import('./trackers-page.tsx') },
    { path: '/trackers/$trackerId', needs: 'trackers:read', page: () => import('./tracker-page.tsx') },
  ],
}
