import type { Feature } from '../../lib/feature.ts'

export const feature: Feature = {
  routes: [{ path: '/system', title: 'System', page: () => import('./system-page.tsx') }],
}
