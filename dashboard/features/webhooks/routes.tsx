import type { Feature } from '../../lib/feature.ts'
import { WebhookIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Webhooks', to: '/webhooks', icon: WebhookIcon, needs: 'webhooks:read', key: 'w' }],
  routes: [
    { path: '/webhooks', title: 'Webhooks', needs: 'webhooks:read', page: () => import('./webhooks-page.tsx') },
    { path: '/webhooks/$endpointId', needs: 'webhooks:read', page: () => import('./endpoint-page.tsx') },
  ],
}
