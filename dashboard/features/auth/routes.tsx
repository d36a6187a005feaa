import type { Feature } from '../../lib/feature.ts'
import { KeyIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Tokens', to: '/tokens', icon: KeyIcon, needs: 'tokens:read', key: 'k' }],
  routes: [
    { path: '/tokens', title: 'Tokens', needs: 'tokens:read', page: () => import('./tokens-page.tsx') },
    { path: '/tokens/new', title: 'New token', needs: 'tokens:write', page: () => import('./new-token-page.tsx') },
  ],
}
