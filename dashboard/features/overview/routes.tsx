import type { Feature } from '../../lib/feature.ts'
import { HomeIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Overview', to: '/', icon: HomeIcon, key: 'o' }],
  routes: [{ path: '/', title: 'Overview', page: () => import('./overview-page.tsx') }],
}
