import { useUrlState } from './use-url-state.ts'

const DAY_MS = 86_400_000
/** Spans of time that pages chart, each up to now. */
export const LAST_DAYS = [
  { value: '7', label: 'The last 7 days' },
  { value: '30', label: 'The last 30 days' },
  { value: '90', label: 'The last 90 days' },
]

/** The span in the address, and the query that has it day by day in the reader's own zone; its last day is today. */
export function useLastDays() {
  const [url, setUrl] = useUrlState({ days: '30' })
  const days = LAST_DAYS.some(({ value }) => value === url.days) ? Number(url.days) : 30
  const query = {
    from: startOf(days),
    interval: 'day' as const,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
  return { days, query, setDays: (value: string) => setUrl({ days: value }) }
}

/** The beginning of the first day, in the reader's zone. */
function startOf(days: number): string {
  const at = new Date(Date.now() - (days - 1) * DAY_MS)
  at.setHours(0, 0, 0, 0)
  return at.toISOString()
}
