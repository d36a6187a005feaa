import type { Feature } from '../../lib/feature.ts'

export const feature: Feature = {
  routes: [
    {
      path: '/contacts/fields',
      title: 'Custom fields',
      needs: 'custom_fields:read',
      page: () => import('./fields-page.tsx'),
    },
  ],
}
