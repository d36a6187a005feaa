import type { Feature } from '../../lib/feature.ts'
import { SettingsIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Settings', to: '/settings', icon: SettingsIcon }],
  routes: [
    { path: '/settings', title: 'Settings', page: () => import('./settings-page.tsx') },
    { path: '/workspaces', title: 'Workspaces', page: () => import('./workspaces-page.tsx') },
  ],
}
