import type { Feature } from '../../lib/feature.ts'

export const feature: Feature = {
  routes: [
    { path: '/contacts/imports', title: 'Imports', needs: 'contacts:read', page: () => import('./imports-page.tsx') },
    {
      path: '/contacts/imports/new',
      title: 'Import contacts',
      needs: 'contacts:write',
      page: () => import('./new-import-page.tsx'),
    },
    { path: '/contacts/imports/$importId', needs: 'contacts:read', page: () => import('./import-page.tsx') },
    { path: '/contacts/exports', title: 'Exports', needs: 'contacts:read', page: () => import('./exports-page.tsx') },
  ],
}
