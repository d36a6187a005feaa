import type { Feature } from '../../lib/feature.ts'
import { UsersIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Contacts', to: '/contacts', icon: UsersIcon, needs: 'contacts:read', key: 'c' }],
  routes: [
    { path: '/contacts', title: 'Contacts', needs: 'contacts:read', page: () => import('./contacts-page.tsx') },
    { path: '/contacts/$contactId', needs: 'contacts:read', page: () => import('./contact-page.tsx') },
  ],
}
