import type { Feature } from '../../lib/feature.ts'
import { GitBranchIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Automations', to: '/automations', icon: GitBranchIcon, needs: 'automations:read', key: 'a' }],
  routes: [
    {
      path: '/automations',
      title: 'Automations',
      needs: 'automations:read',
      page: () => import('./automations-page.tsx'),
    },
    {
      path: '/automations/new',
      title: 'New automation',
      needs: 'automations:write',
      page: () => import('./builder/new-automation-page.tsx'),
    },
    {
      path: '/automations/$automationId/edit',
      needs: 'automations:write',
      page: () => import('./builder/builder-page.tsx'),
    },
    {
      path: '/automations/$automationId/time-machine',
      title: 'Time machine',
      needs: 'automations:read',
      page: () => import('./time-machine/time-machine-page.tsx'),
    },
    { path: '/automations/$automationId', needs: 'automations:read', page: () => import('./automation-page.tsx') },
    { path: '/automations/$automationId/runs/$runId', needs: 'automations:read', page: () => import('./run-page.tsx') },
  ],
}
