import type { Feature } from '../../lib/feature.ts'
import { CircleCheckIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Approvals', to: '/approvals', icon: CircleCheckIcon, needs: 'approvals:read', key: 'v' }],
  routes: [
    { path: '/approvals', title: 'Approvals', needs: 'approvals:read', page: () => import('./approvals-page.tsx') },
    { path: '/approvals/$approvalId', needs: 'approvals:read', page: () => import('./approval-page.tsx') },
  ],
}
