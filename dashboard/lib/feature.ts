import type { QueryKey } from '@tanstack/react-query'
import type { ComponentType, ReactNode } from 'react'
import type { Permission } from './site-types.ts'

/**
 * Names of the sidebar, in its order, by who looks for them: whom one writes to, what one writes, how it gets there, what
 * programs send and receive, and who may do what. Those of pages that are not there yet do not appear.
 */
export const NAV_GROUPS = [
  { title: undefined, names: ['Overview'] },
  { title: 'Audience', names: ['Contacts', 'Segments', 'Forms', 'Suppressions'] },
  { title: 'Email', names: ['Broadcasts', 'Automations', 'Templates', 'Messages', 'Approvals'] },
  { title: 'Delivery', names: ['Domains', 'Integrations'] },
  { title: 'Developers', names: ['Events', 'Webhooks', 'Trackers', 'Tokens'] },
  { title: 'Workspace', names: ['Team', 'Audit log', 'Settings'] },
] as const

export type NavName = (typeof NAV_GROUPS)[number]['names'][number]

export type NavEntry = {
  name: NavName
  /** Path of the page below the workspace. */
  to: string
  icon: (props: { size?: number }) => ReactNode
  /** Without this permission the link is not there. */
  needs?: Permission
  /** The second key of `g c`. */
  key?: string
}

export type FeatureRoute = {
  /** `/contacts/$contactId` */
  path: string
  /** Name of the page in the palette; a page that needs an id has none. */
  title?: string
  /** Without this permission the page says so instead. */
  needs?: Permission
  page: () => Promise<{ default: ComponentType }>
  /** Reads that the page cannot do without, by the ids of its path: they are made while its scripts come, and when a link to it is pointed at. */
  reads?: (params: Readonly<Record<string, string>>) => readonly PageRead[]
}

/** `siteQuery(…)` or `siteTaggedQuery(…)`. */
export type PageRead = { queryKey: QueryKey }

/** A folder's pages and what leads to them: `routes.tsx` of every feature exports one as `feature`. */
export type Feature = { nav?: readonly NavEntry[]; routes: readonly FeatureRoute[] }
