import type { Feature } from '../../lib/feature.ts'
import { siteQuery, siteTaggedQuery } from '../../lib/use-site.ts'
import { SpeakerphoneIcon } from '../../ui/icons.tsx'

export const feature: Feature = {
  nav: [{ name: 'Broadcasts', to: '/broadcasts', icon: SpeakerphoneIcon, needs: 'broadcasts:read', key: 'b' }],
  routes: [
    { path: '/broadcasts', title: 'Broadcasts', needs: 'broadcasts:read', page: () => import('./broadcasts-page.tsx') },
    {
      path: '/broadcasts/new',
      title: 'New broadcast',
      needs: 'broadcasts:write',
      page: () => import('./new-broadcast-page.tsx'),
    },
    {
      path: '/broadcasts/$broadcastId',
      needs: 'broadcasts:read',
      page: () => {
        // Most are reports by then: the script comes along, before it is known.
        import('./report-page.tsx').catch(() => undefined)
        return import('./broadcast-page.tsx')
      },
      reads: ({ broadcastId: id = '' }) => [
        siteTaggedQuery('GET /broadcasts/{id}', { params: { id } }),
        siteQuery('GET /broadcasts/{id}/report', { params: { id } }),
        siteQuery('GET /broadcasts/{id}/series', { params: { id } }),
      ],
    },
  ],
}
