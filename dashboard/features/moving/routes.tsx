import type { Feature } from '../../lib/feature.ts'

export const feature: Feature = {
  routes: [
    { path: '/moves', title: 'Move here', needs: 'contacts:read', page: () => import('./moves-page.tsx') },
    { path: '/moves/new', title: 'Move here', needs: 'contacts:write', page: () => import('./new-move-page.tsx') },
    { path: '/moves/$moveId', needs: 'contacts:read', page: () => import('./move-page.tsx') },
  ],
}
