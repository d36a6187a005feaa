import { LAST_DAYS, useLastDays } from '../../lib/last-days.ts'
import { useCan } from '../../lib/permissions.ts'
import { areKnown, useOnceKnown } from '../../lib/use-known.ts'
import { useSite } from '../../lib/use-site.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Select } from '../../ui/controls.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Loading, Shown } from '../../ui/states.tsx'
import { FirstSteps, useFirstSteps } from './first-steps.tsx'
import { MailNumbers } from './mail-numbers.tsx'
import classes from './overview.module.css'
import { SenderRates } from './sender-rates.tsx'
import { StuckWork, useStuckWork } from './stuck-work.tsx'

const POLL_MS = 15_000

/** How mail goes: first what keeps it from going, then the numbers, people and machines apart. */
export default function OverviewPage() {
  const can = useCan()
  const { days, query, setDays } = useLastDays()
  const mayRead = can('broadcasts:read')
  const overview = useSite('GET /overview', { query }, { enabled: mayRead, keep: true, pollMs: POLL_MS })
  const steps = useFirstSteps()
  const stuck = useStuckWork()
  const isKnown = useOnceKnown(areKnown(overview, ...Object.values(steps), ...Object.values(stuck)))
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
                value={String(days)}
                options={LAST_DAYS}
                onChange={(event) => setDays(event.currentTarget.value)}
              />
            </>
          )
        }
      />
      {isKnown ? (
        <div className={classes.parts}>
          <FirstSteps reads={steps} />
          <StuckWork reads={stuck} />
          {mayRead && (
            <Shown read={overview} rows={8}>
              {(data) => <MailNumbers overview={data} days={days} />}
            </Shown>
          )}
          {can('sending_domains:read') && <SenderRates />}
        </div>
      ) : (
        <Loading rows={8} />
      )}
    </>
  )
}
