import type { AutomationCounts } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { useUrlState } from '../../lib/use-url-state.ts'

export const SPANS = [
  { value: '24h', label: 'The last 24 hours' },
  { value: '7d', label: 'The last 7 days' },
  { value: '30d', label: 'The last 30 days' },
] as const

export type PeopleShown = {
  /** Empty: all. */
  version: string
  last: '' | (typeof SPANS)[number]['value']
  /** Of that version and time. */
  counts: AutomationCounts | undefined
  show: (change: { version?: string; last?: string }) => void
}

/** The people of the version and time that the address names. */
export function usePeopleShown(id: string, pollMs: number): PeopleShown {
  const [url, setUrl] = useUrlState({ version: '', last: '' })
  const version = /^[1-9][0-9]{0,8}$/.test(url.version) ? url.version : ''
  const last = SPANS.find(({ value }) => value === url.last)?.value ?? ''
  const query = last === '' ? {} : { last }
  const { data } = useSite('GET /automations/{id}/counts', { params: { id }, query }, { keep: true, pollMs })
  const counts =
    data && version !== '' ? { ...data, nodes: data.nodes.filter((one) => String(one.version) === version) } : data
  return { version, last, counts, show: (change) => setUrl(change, { replace: true }) }
}
