import { useQueryClient } from '@tanstack/react-query'

/**
 * Lets go of all that was read in this tab and may tell of somebody who is erased: of what is not shown at once, of the rest as soon as
 * it is shown no more. It is not read anew where it stands: of a page about them nothing would be left to leave it by.
 */
export function useForgetRead(): () => void {
  const client = useQueryClient()
  return () => {
    const cache = client.getQueryCache()
    const shown = new Set(cache.findAll({ type: 'active' }))
    client.removeQueries({ type: 'inactive' })
    const stop = cache.subscribe(({ type, query }) => {
      if (type !== 'observerRemoved' || query.isActive() || !shown.delete(query)) return
      cache.remove(query)
      if (shown.size === 0) stop()
    })
  }
}
