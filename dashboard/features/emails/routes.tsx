import type { Feature } from '../../lib/feature.ts'
import { MailIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Messages', to: '/messages', icon: MailIcon, needs: 'contacts:read', key: 'm' }],
  routes: [
    { path: '/messages', title: 'Messages', needs: 'contacts:read', page: () => import('./messages-page.tsx') },
    { path: '/messages/$messageId', needs: 'contacts:read', page: () => import('./message-page.tsx') },
  ],
}
