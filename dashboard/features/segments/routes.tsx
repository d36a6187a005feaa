import type { Feature } from '../../lib/feature.ts'
import { FilterIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Segments', to: '/segments', icon: FilterIcon, needs: 'segments:read', key: 's' }],
  routes: [
    { path: '/segments', title: 'Segments', needs: 'segments:read', page: () => import('./segments-page.tsx') },
    {
      path: '/segments/new',
      title: 'New segment',
      needs: 'segments:write',
      page: () => import('./new-segment-page.tsx'),
    },
    { path: '/segments/$segmentId', needs: 'segments:read', page: () => import('./segment-page.tsx') },
  ],
}
