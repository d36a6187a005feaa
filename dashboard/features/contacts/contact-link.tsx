import { useSite } from '../../lib/use-site.ts'
import { Link } from '../../ui/link.tsx'
import { contactName } from './contact-name.ts'

const KNOWN_FOR_MS = 60_000

/** Leads to a contact, by what it is called. */
export function ContactLink({ contactId }: { contactId: string }) {
  return (
    <Link to={`/contacts/${contactId}`}>
      <ContactName contactId={contactId} />
    </Link>
  )
}

/** How a contact is called, where only its id is known; its number until that is read, and where it is no more. */
export function ContactName({ contactId }: { contactId: string }) {
  const { data } = useSite('GET /contacts/{contactId}', { params: { contactId } }, { staleMs: KNOWN_FOR_MS })
  return data === undefined ? `contact ${contactId}` : contactName(data)
}
