import { Link as RouterLink } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import type { Icon } from './icons.tsx'

type Props = Omit<ComponentProps<'a'>, 'href' | 'style'> & {
  /** A page of this workspace: `/contacts/42`. */
  to: string
  search?: Record<string, string | undefined>
  /** Stands in the history instead of the page it leaves. */
  replace?: boolean
  /** When it counts as the page one is on; else whatever its search. */
  activeOptions?: { exact?: boolean }
  children: ReactNode
}

/** The router marks a link as current by itself; it knows nothing of tabs and of pages below others. */
const EXACTLY = { exact: true, includeSearch: true }

/** A link to a page of this workspace. */
export function Link({ to, search, ...props }: Props) {
  return <RouterLink to={to as never} search={search as never} activeOptions={EXACTLY} {...(props as object)} />
}

/** A link that looks like a button, for what leads to a page of its own. */
export function ButtonLink({
  kind = 'default',
  icon: Mark,
  children,
  ...props
}: Props & { kind?: 'primary' | 'default' | 'quiet'; icon?: Icon }) {
  return (
    <Link {...props} className={`button-link button-link-${kind}`}>
      {Mark && <Mark size={15} />}
      {children}
    </Link>
  )
}
