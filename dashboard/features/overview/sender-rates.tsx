import { numberText } from '../../lib/format.ts'
import { useSite } from '../../lib/use-site.ts'
import { Panel } from '../../ui/panel.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { MAILBOX_DOMAIN } from '../integrations/leads-to-mailbox.ts'
import classes from './overview.module.css'

const WINDOW_DAYS = 30
/** As often as the numbers above. */
const POLL_MS = 15_000
/** Lines above which large mailbox providers begin to refuse (Google and Yahoo, 2024: 0.1 % of complaints; 5 % of bounces). */
const COMPLAINTS_MAX = 0.001
const BOUNCES_MAX = 0.05

type Rate = { numerator: number; denominator: number; rate: number | null }

/** How each sending domain stands with those who receive its mail. */
export function SenderRates() {
  const rates = useSite(
    'GET /sending-domains/rates',
    { query: { windowDays: WINDOW_DAYS, pageSize: 100 } },
    { pollMs: POLL_MS },
  )
  const items = (rates.data?.items ?? []).filter(({ domain }) => domain !== MAILBOX_DOMAIN)
  if (items.length === 0) return null
  return (
    <Panel title="Reputation" note={`by sending domain, ${WINDOW_DAYS} days`} flush>
      <table className={classes.rates}>
        <thead>
          <tr>
            <th scope="col">Domain</th>
            <th scope="col">Complaints, at most 0.1 %</th>
            <th scope="col">Came back, at most 5 %</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ sendingDomainId, domain, complaintRate, bounceRate }) => (
            <tr key={sendingDomainId}>
              <th scope="row">{domain}</th>
              <td>
                <RateText of={complaintRate} most={COMPLAINTS_MAX} />
              </td>
              <td>
                <RateText of={bounceRate} most={BOUNCES_MAX} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

function RateText({ of: { numerator, denominator, rate }, most }: { of: Rate; most: number }) {
  if (rate === null) return <span className="soft">Nothing sent</span>
  return (
    <StatusBadge tone={rate > most ? 'bad' : 'good'}>
      {(rate * 100).toFixed(2)} % · {numberText(numerator)} of {numberText(denominator)}
    </StatusBadge>
  )
}
