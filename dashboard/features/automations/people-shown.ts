import type { AutomationCounts } from '../../lib/site-types.ts'
import { areKnown } from '../../lib/use-known.ts'
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
  /** Whether the counts have come, or failed. */
  isKnown: boolean
  show: (change: { version?: string; last?: string }) => void
}

/** The people of the version and time that the address names. */
export function usePeopleShown(id: string, pollMs: number): PeopleShown {
  const [url, setUrl] = useUrlState({ version: '', last: '' })
  const version = /^[1-9][0-9]{0,8}$/.test(url.version) ? url.version : ''
  const last = SPANS.find(({ value }) => value === url.last)?.value ?? ''
  const query = last === '' ? {} : { last }
  const read = useSite('GET /automations/{id}/counts', { params: { id }, query }, { keep: true, pollMs })
  const { data } = read
  const counts =
    data && version !== '' ? { ...data, nodes: data.nodes.filter((one) => String(one.version) === version) } : data
  const show = (change: Parameters<PeopleShown['show']>[0]) => setUrl(change, { replace: true })
  return { version, last, counts, isKnown: areKnown(read), show }
}
