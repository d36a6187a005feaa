import type { Feature } from '../../lib/feature.ts'

export const feature: Feature = {
  routes: [
    { path: '/templates/images', title: 'Images', needs: 'templates:read', page: () => import('./assets-page.tsx') },
  ],
}
