import { useCan } from '../../lib/permissions.ts'
import { useSite } from '../../lib/use-site.ts'
import { Link } from '../../ui/link.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

/**
 * What sends with a template: programs, which name it with each message. A broadcast or an automation that began with it has a
 * text of its own.
 */
export function TemplateUse({ id }: { id: string }) {
  const can = useCan()
  const sent = useSite('GET /messages', { query: { templateId: id, limit: 1 } }, { enabled: can('contacts:read') })
  if (sent.data === undefined) return null
  const [last] = sent.data.items
  if (last === undefined) {
    return (
      <p className="soft">
        {sent.data.nextCursor === undefined
          ? 'No message was sent with it by a program, as far back as messages are kept.'
          : 'None of the newest messages was sent with it by a program.'}
      </p>
    )
  }
  return (
    <p className="soft">
      A program last sent with it <RelativeTime at={last.createdAt} />.{' '}
      <Link to="/messages" search={{ templateId: id }}>
        Messages sent with it
      </Link>
    </p>
  )
}
