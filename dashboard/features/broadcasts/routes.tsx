import type { Feature } from '../../lib/feature.ts'
import { SpeakerphoneIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Broadcasts', to: '/broadcasts', icon: SpeakerphoneIcon, needs: 'broadcasts:read', key: 'b' }],
  routes: [
    { path: '/broadcasts', title: 'Broadcasts', needs: 'broadcasts:read', page: () => import('./broadcasts-page.tsx') },
    {
      path: '/broadcasts/new',
      title: 'New broadcast',
      needs: 'broadcasts:write',
      page: () => import('./new-broadcast-page.tsx'),
    },
    { path: '/broadcasts/$broadcastId', needs: 'broadcasts:read', page: () => import('./broadcast-page.tsx') },
  ],
}
