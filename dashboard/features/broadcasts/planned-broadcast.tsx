import { useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import type { Broadcast } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { Fact, Facts, Panel } from '../../ui/panel.tsx'
import { MailPreview } from '../templates/mail-preview.tsx'
import { usePreview } from '../templates/use-preview.ts'
import { AudienceCount } from './audience-count.tsx'
import { AudienceFacts } from './audience-facts.tsx'
import classes from './planned-broadcast.module.css'
import { PreflightChecks } from './preflight-checks.tsx'
import { senderOf } from './sender.ts'
import { usePreflight } from './use-preflight.ts'

const NAMED_MAX = 100

/** What would go out, to whom and from whom, of a broadcast of which nobody has anything yet. */
export default function PlannedBroadcast({ broadcast }: { broadcast: Broadcast }) {
  const can = useCan()
  const [contactId, setContactId] = useState('')
  const preview = usePreview(broadcast, contactId)
  const preflight = usePreflight(broadcast.id, undefined)
  const query = { pageSize: NAMED_MAX }
  const integrations = useSite('GET /integrations', { query }, { enabled: can('integrations:read') })
  const sender = senderOf(broadcast, integrations.data?.items ?? [])
  return (
    <div className={classes.planned}>
      <div className={classes.parts}>
        <PreflightChecks preflight={preflight} onTime={[]} />
        <Panel title="Audience">
          <div className={classes.parts}>
            <AudienceCount preflight={preflight} topicId={broadcast.topicId} />
            <Facts>
              <AudienceFacts found={preflight.data} hasFailed={preflight.isError} />
              <Fact name="From">
                {[sender.name, sender.email].filter(Boolean).join(', ') || 'That of the integration'}
              </Fact>
              <Fact name="Goes through">{sender.integration?.name ?? 'The default integration'}</Fact>
            </Facts>
          </div>
        </Panel>
      </div>
      <MailPreview
        preview={preview}
        fromName={sender.name ?? sender.email ?? 'Sender'}
        contactId={contactId}
        onContact={setContactId}
      />
    </div>
  )
}
