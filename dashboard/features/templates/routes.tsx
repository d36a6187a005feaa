import type { Feature } from '../../lib/feature.ts'
import { TemplateIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Templates', to: '/templates', icon: TemplateIcon, needs: 'templates:read', key: 't' }],
  routes: [
    { path: '/templates', title: 'Templates', needs: 'templates:read', page: () => import('./templates-page.tsx') },
    {
      path: '/templates/new',
      title: 'New template',
      needs: 'templates:write',
      page: () => import('./new-template-page.tsx'),
    },
    { path: '/templates/$templateId', needs: 'templates:read', page: () => import('./template-page.tsx') },
  ],
}
