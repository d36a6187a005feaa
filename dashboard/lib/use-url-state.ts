import { useNavigate, useParams, useSearch } from '@tanstack/react-router'

/**
 * State that stands in the address: filters, page, tab, open drawer. Values that are as by default are left out of it, so
 * that a copied link is short and shows the same. A change goes into the history unless it `replace`s.
 */
export function useUrlState<T extends Record<string, string>>(
  defaults: T,
): [T, (change: Partial<T>, options?: { replace?: boolean }) => void] {
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const navigate = useNavigate()
  const state = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, typeof search[name] === 'string' ? search[name] : value]),
  ) as T
  const change = (next: Partial<T>, { replace = false } = {}) => {
    navigate({
      to: '.',
      replace,
      search: ((before: Record<string, string>) => {
        const all = { ...before, ...next } as Record<string, string | undefined>
        return Object.fromEntries(Object.entries(all).filter(([name, value]) => value && value !== defaults[name]))
      }) as never,
    })
  }
  return [state, change]
}

/** An id of the page's path, `/contacts/$contactId`. */
export function usePathId(name: string): string {
  const params = useParams({ strict: false }) as Record<string, string | undefined>
  return params[name] ?? ''
}

/** The number of a page in the address; anything else is the first. */
export function pageNumber(text: string): number {
  const page = Number(text)
  return Number.isInteger(page) && page >= 1 ? page : 1
}
