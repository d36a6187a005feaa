import { useCan } from '../../lib/permissions.ts'
import { useSite } from '../../lib/use-site.ts'
import { useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Select } from '../../ui/controls.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Shown } from '../../ui/states.tsx'
import { FirstSteps } from './first-steps.tsx'
import { MailNumbers } from './mail-numbers.tsx'
import classes from './overview.module.css'
import { SenderRates } from './sender-rates.tsx'
import { StuckWork } from './stuck-work.tsx'

const DAY_MS = 86_400_000
const SPANS = [
  { value: '7', label: 'The last 7 days' },
  { value: '30', label: 'The last 30 days' },
  { value: '90', label: 'The last 90 days' },
]
const POLL_MS = 15_000

/** How mail goes: first what keeps it from going, then the numbers, people and machines apart. */
export default function OverviewPage() {
  const can = useCan()
  const [{ days }, setUrl] = useUrlState({ days: '30' })
  const count = SPANS.some(({ value }) => value === days) ? Number(days) : 30
  const query = {
    from: startOf(count),
    interval: 'day' as const,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
  const mayRead = can('broadcasts:read')
  const overview = useSite('GET /overview', { query }, { enabled: mayRead, keep: true, pollMs: POLL_MS })
  return (
    <>
      <PageHeader
        title="Overview"
        actions={
          mayRead && (
            <>
              <AsCurl operation="GET /overview" query={query} />
              <Select
                label="Time"
                hideLabel
                value={String(count)}
                options={SPANS}
                onChange={(event) => setUrl({ days: event.currentTarget.value })}
              />
            </>
          )
        }
      />
      <div className={classes.parts}>
        <FirstSteps />
        <StuckWork />
        {mayRead && (
          <Shown read={overview} rows={8}>
            {(data) => <MailNumbers overview={data} days={count} />}
          </Shown>
        )}
        {can('sending_domains:read') && <SenderRates />}
      </div>
    </>
  )
}

/** The beginning of the day, in the reader's zone, so that the last of the days is today. */
function startOf(days: number): string {
  const at = new Date(Date.now() - (days - 1) * DAY_MS)
  at.setHours(0, 0, 0, 0)
  return at.toISOString()
}
