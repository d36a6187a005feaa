import { useSyncExternalStore } from 'react'

const NARROW = '(max-width: 900px)'

function listen(onChange: () => void): () => void {
  const query = matchMedia(NARROW)
  query.addEventListener('change', onChange)
  return () => query.removeEventListener('change', onChange)
}

/** Whether there is room for one column only. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(listen, () => matchMedia(NARROW).matches)
}
