import { dateText } from '../../lib/format.ts'
import type { ContactVisitor } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { Notice } from '../../ui/notice.tsx'
import { Fact, Facts, Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/states.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'

const PROOFS: Readonly<Record<ContactVisitor['proof'], { words: string; tone: Tone }>> = {
  none: { words: 'Not recognised', tone: 'neutral' },
  claimed: { words: 'Claimed by the page', tone: 'warn' },
  link: { words: 'Followed a link of a mail', tone: 'info' },
  confirmed: { words: 'Confirmed by mail', tone: 'good' },
  signed: { words: 'Signed by your server', tone: 'good' },
}

/** Days are told without an hour: that of noon is the same day wherever the reader is, but for the line in the ocean. */
const dayText = (day: string) => dateText(`${day}T12:00:00Z`)

/** The browsers that somebody was recognised in, and how well that is proven. */
export function ContactVisitors({ contactId, isUnproven }: { contactId: string; isUnproven: boolean }) {
  const visitors = useSite('GET /contacts/{contactId}/visitors', { params: { contactId } })
  return (
    <Panel title="Browsers">
      {isUnproven && (
        <Notice tone="warn">
          A page alone has stated this address. It is mailed nothing until your server states it too, or the person
          confirms it.
        </Notice>
      )}
      <Shown read={visitors} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft">They were recognised in no browser yet.</p>
          ) : (
            <Facts>
              {items.map(({ visitorId, proof, firstSeen, lastSeen }) => (
                <Fact
                  key={visitorId}
                  name={firstSeen === lastSeen ? dayText(lastSeen) : `${dayText(firstSeen)} to ${dayText(lastSeen)}`}
                >
                  <StatusBadge tone={PROOFS[proof].tone}>{PROOFS[proof].words}</StatusBadge>
                </Fact>
              ))}
            </Facts>
          )
        }
      </Shown>
    </Panel>
  )
}
