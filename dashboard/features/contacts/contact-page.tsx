import { useCan } from '../../lib/permissions.ts'
import { useSiteTagged } from '../../lib/use-site.ts'
import { usePathId, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Shown } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ContactAutomations } from '../automations/contact-automations.tsx'
import { ContactConsents } from '../consents/contact-consents.tsx'
import { ContactMessages } from '../emails/contact-messages.tsx'
import { ContactTimeline } from '../events/contact-timeline.tsx'
import { ContactActs } from '../personal-data/contact-acts.tsx'
import { ContactInSegment } from '../segments/contact-in-segment.tsx'
import { ContactTags } from '../tags/contact-tags.tsx'
import { ContactTopics } from '../topics/contact-topics.tsx'
import { ContactVisitors } from '../visitors/contact-visitors.tsx'
import { ContactFields } from './contact-fields.tsx'
import { contactName } from './contact-name.ts'
import classes from './contacts.module.css'
import { CustomFields } from './custom-fields.tsx'
import { mailStanding } from './mail-standing.tsx'

/** All there is of one person: who they are, what they agreed to, what they did, and what was sent to them and why not. */
export default function ContactPage() {
  const contactId = usePathId('contactId')
  const can = useCan()
  const contact = useSiteTagged('GET /contacts/{contactId}', { params: { contactId } })
  const [{ tab }] = useUrlState({ tab: 'messages' })
  const here = `/contacts/${contactId}`
  return (
    <Shown read={contact}>
      {({ value, etag }) => (
        <>
          <PageHeader
            title={contactName(value)}
            back={{ to: '/contacts', label: 'Contacts' }}
            badge={mailStanding(value)}
            actions={
              <>
                <AsCurl operation="GET /contacts/{contactId}" params={{ contactId }} />
                <ContactActs contact={value} />
              </>
            }
          >
            {value.email !== null && value.email !== contactName(value) ? value.email : undefined}
          </PageHeader>
          <div className={classes.columns}>
            <div className={classes.side}>
              <ContactFields contact={value} etag={etag} />
              <ContactTags contactId={contactId} />
              <CustomFields contact={value} etag={etag} />
              {can('automations:read') && <ContactAutomations contactId={contactId} />}
              <ContactConsents contact={value} />
              <ContactTopics contactId={contactId} />
              <ContactVisitors contactId={contactId} isUnproven={value.isUnproven} />
              {can('segments:read') && <ContactInSegment contactId={contactId} />}
            </div>
            <div className={classes.wide}>
              <div>
                <Tabs
                  label="About this contact"
                  tabs={[
                    { label: 'Messages', to: here, current: tab !== 'events' },
                    { label: 'Timeline', to: here, search: { tab: 'events' }, current: tab === 'events' },
                  ].filter(({ label }) => label !== 'Timeline' || can('events:read'))}
                />
                {tab === 'events' ? <ContactTimeline contactId={contactId} /> : <ContactMessages email={value.email} />}
              </div>
            </div>
          </div>
        </>
      )}
    </Shown>
  )
}
