import type { Feature } from '../../lib/feature.ts'
import { WorldIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Domains', to: '/domains', icon: WorldIcon, needs: 'sending_domains:read', key: 'd' }],
  routes: [
    { path: '/domains', title: 'Domains', needs: 'sending_domains:read', page: () => import('./domains-page.tsx') },
    { path: '/domains/$domainId', needs: 'sending_domains:read', page: () => import('./domain-page.tsx') },
  ],
}
