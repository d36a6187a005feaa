import type { Feature } from '../../lib/feature.ts'

export const feature: Feature = {
  routes: [
    {
      path: '/suppressions/unsubscribes',
      title: 'Unsubscribes',
      needs: 'contacts:read',
      page: () => import('./unsubscribes-page.tsx'),
    },
  ],
}
