import type { Feature } from '../../lib/feature.ts'
import { PlugIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Integrations', to: '/integrations', icon: PlugIcon, needs: 'integrations:read', key: 'i' }],
  routes: [
    {
      path: '/integrations',
      title: 'Integrations',
      needs: 'integrations:read',
      page: () => import('./integrations-page.tsx'),
    },
    {
      path: '/integrations/new',
      title: 'New integration',
      needs: 'integrations:write',
      page: () => import('./new-integration-page.tsx'),
    },
    { path: '/integrations/$integrationId', needs: 'integrations:read', page: () => import('./integration-page.tsx') },
  ],
}
