import type { Feature } from '../../lib/feature.ts'
import { BanIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Suppressions', to: '/suppressions', icon: BanIcon, needs: 'suppressions:read', key: 'x' }],
  routes: [
    {
      path: '/suppressions',
      title: 'Suppressions',
      needs: 'suppressions:read',
      page: () => import('./suppressions-page.tsx'),
    },
  ],
}
