import type { Feature } from '../../lib/feature.ts'

export const feature: Feature = {
  routes: [{ path: '/account', title: 'Account', page: () => import('./account-page.tsx') }],
}
