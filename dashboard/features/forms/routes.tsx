import type { Feature } from '../../lib/feature.ts'
import { FormsIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Forms', to: '/forms', icon: FormsIcon, needs: 'forms:read', key: 'f' }],
  routes: [
    { path: '/forms', title: 'Forms', needs: 'forms:read', page: () => import('./forms-page.tsx') },
    { path: '/forms/$formId', needs: 'forms:read', page: () => import('./form-page.tsx') },
  ],
}
