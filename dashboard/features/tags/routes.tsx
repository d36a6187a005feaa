import type { Feature } from '../../lib/feature.ts'

export const feature: Feature = {
  routes: [{ path: '/contacts/tags', title: 'Tags', needs: 'contacts:read', page: () => import('./tags-page.tsx') }],
}
