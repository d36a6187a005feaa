import type { Feature } from '../../lib/feature.ts'

export const feature: Feature = {
  routes: [
    { path: '/contacts/topics', title: 'Topics', needs: 'contacts:read', page: () => import('./topics-page.tsx') },
  ],
}
