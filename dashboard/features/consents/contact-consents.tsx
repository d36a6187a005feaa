import type { ConsentEntry, Contact } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { Link } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Shown } from '../../ui/states.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { SourceName } from '../unsubscribes/source-name.tsx'
import classes from './contact-consents.module.css'

const ENTRIES_MAX = 50

const CHANGES: Readonly<Record<ConsentEntry['change'], { words: string; tone: Tone }>> = {
  requested: { words: 'Asked to confirm', tone: 'info' },
  confirmed: { words: 'Confirmed', tone: 'good' },
  imported: { words: 'Said to have agreed', tone: 'neutral' },
  grandfathered: { words: 'Was here before', tone: 'neutral' },
  unsubscribed: { words: 'Unsubscribed', tone: 'bad' },
  resubscribed: { words: 'Subscribed again', tone: 'good' },
  tracking_granted: { words: 'Allowed tracking', tone: 'good' },
  tracking_denied: { words: 'Denied tracking', tone: 'bad' },
}
const AUTHORS: Readonly<Record<ConsentEntry['byWhom'], string>> = {
  person: 'by themselves',
  workspace: 'by somebody of the workspace',
  system: 'by the system',
}

/** Consent to recording visits says nothing of mail. */
const isOfMail = ({ change }: ConsentEntry) => change !== 'tracking_granted' && change !== 'tracking_denied'

/** The address of an entry is the person's own, also where somebody else has told of it. */
function from({ change, ip }: ConsentEntry): string {
  if (ip === null) return ''
  return change === 'imported' ? `, as agreed to from ${ip}` : ` from ${ip}`
}

/** When they agreed, which may be long before they were here: what a person who asks is answered with. */
function Agreed({ consent }: Pick<Contact, 'consent'>) {
  const { optedInAt = null, confirmedAt = null } = consent ?? {}
  if (optedInAt === null && confirmedAt === null) return null
  return (
    <p className={classes.agreed}>
      {optedInAt !== null && (
        <>
          Asked for it on <RelativeTime at={optedInAt} absolute />
          {confirmedAt !== null && ', '}
        </>
      )}
      {confirmedAt !== null && (
        <>
          {optedInAt === null ? 'Confirmed' : 'confirmed'} on <RelativeTime at={confirmedAt} absolute />
        </>
      )}
      {consent?.provenance === 'imported' && ', as told by the file or service that they came from'}.
    </p>
  )
}

/** The import or the form by which it came. */
function Means({ entry: { importId, formId, formName } }: { entry: ConsentEntry }) {
  return (
    <>
      {importId !== null && (
        <>
          {' with '}
          <Link to={`/contacts/imports/${importId}`}>an import</Link>
        </>
      )}
      {formId !== null && (
        <>
          {formName === null ? ' with a form that is deleted' : ' with the form '}
          {formName !== null && <Link to={`/forms/${formId}`}>{formName}</Link>}
        </>
      )}
    </>
  )
}

/** How the person came to get marketing mail, or not to. Entries are never changed. */
export function ContactConsents({ contact }: { contact: Pick<Contact, 'id' | 'consent'> }) {
  const contactId = contact.id
  const consents = useSite('GET /contacts/{contactId}/consents', {
    params: { contactId },
    query: { pageSize: ENTRIES_MAX },
  })
  return (
    <Panel title="Consent">
      <Agreed consent={contact.consent} />
      <Shown read={consents} rows={2}>
        {({ items, totalItems }) =>
          totalItems === 0 ? (
            <p className="soft">Nothing was asked or told yet. Their mail is what the rules of the workspace allow.</p>
          ) : (
            <ol className={classes.entries}>
              {items.map((entry) => (
                <li key={entry.id}>
                  <StatusBadge tone={CHANGES[entry.change].tone}>{CHANGES[entry.change].words}</StatusBadge>
                  <span className="soft">
                    {isOfMail(entry) && (
                      <>
                        <SourceName source={entry.sendingSource ?? 'everything'} />,{' '}
                      </>
                    )}
                    {AUTHORS[entry.byWhom]}
                    <Means entry={entry} />
                    {from(entry)}
                    {entry.messageId !== null && (
                      <>
                        {' with '}
                        <Link to={`/messages/${entry.messageId}`}>a mail</Link>
                      </>
                    )}
                    , <RelativeTime at={entry.at} />
                  </span>
                  {entry.wording !== null && <q className={classes.wording}>{entry.wording}</q>}
                </li>
              ))}
            </ol>
          )
        }
      </Shown>
    </Panel>
  )
}
