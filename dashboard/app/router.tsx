import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { FeatureRoute } from '../lib/feature.ts'
import { lazyPart, loadPart } from '../lib/load-part.ts'
import { useCan } from '../lib/permissions.ts'
import type { AnswerOf } from '../lib/site.ts'
import type { Permission } from '../lib/site-types.ts'
import { keyOf } from '../lib/use-site.ts'
import { SLUG } from '../lib/workspace-here.ts'
import { Loading } from '../ui/states.tsx'
import { FEATURES } from './features.ts'
import { PageFault } from './page-fault.tsx'
import { queries } from './queries.ts'
import { Shell } from './shell.tsx'

const pagePart = (load: FeatureRoute['page']) => lazyRouteComponent(() => loadPart(load))
const RefusedPage = lazyPart(() => import('./refused-page.tsx'))

const rootRoute = createRootRoute({
  component: () => (
    <Shell>
      <Outlet />
    </Shell>
  ),
  notFoundComponent: pagePart(() => import('./not-found-page.tsx')),
  errorComponent: PageFault,
})

const pages = FEATURES.flatMap(({ routes }) => routes).map((route) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path: route.path,
    component: gated(route),
    loader: ({ params, cause }) => {
      if (cause !== 'stay') readAhead(route, params)
    },
    errorComponent: PageFault,
    pendingComponent: Loading,
  }),
)

/** Nobody waits here: the page finds what has come, and waits for the rest. */
function readAhead({ needs, reads }: FeatureRoute, params: Readonly<Record<string, string>>): void {
  const here = queries.getQueryData<AnswerOf<'GET /'>>(keyOf('GET /'))
  if (needs === undefined || !here?.permissions.includes(needs)) return
  for (const read of reads?.(params) ?? [])
    void queries.prefetchQuery(read as Parameters<typeof queries.prefetchQuery>[0])
}

/** A page is loaded when somebody may see it. */
function gated({ needs, title, page }: FeatureRoute): RouteComponent {
  const Page = pagePart(page) as RouteComponent & { preload?: () => Promise<void> }
  if (needs === undefined) return Page
  return Object.assign(() => <Gate needs={needs} title={title} page={<Page />} />, { preload: Page.preload })
}

type Gated = { needs: Permission; title: string | undefined; page: ReactNode }

function Gate({ needs, title, page }: Gated) {
  return useCan()(needs) ? page : <RefusedPage title={title} />
}

export const router = createRouter({
  routeTree: rootRoute.addChildren(pages),
  basepath: `/app/${SLUG}`,
  defaultPreload: 'intent',
  defaultPendingMs: 150,
  scrollRestoration: true,
  // Texts alone: `?search=123` stays the text that was typed, and what is not set is left out.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(JSON.parse(JSON.stringify(search))).toString()
    return text && `?${text}`
  },
})
