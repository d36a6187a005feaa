import type { Feature } from '../../lib/feature.ts'
import { ListDetailsIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Audit log', to: '/audit', icon: ListDetailsIcon, needs: 'audit:read' }],
  routes: [{ path: '/audit', title: 'Audit log', needs: 'audit:read', page: () => import('./audit-page.tsx') }],
}
