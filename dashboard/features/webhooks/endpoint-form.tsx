import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { WebhookEndpoint } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { FormField } from '../../ui/form-field.tsx'
import { EventNamesField } from './event-names.tsx'

const eventsOf = (endpoint: WebhookEndpoint | undefined) => ({
  isAll: (endpoint?.eventTypes.length ?? 0) === 0,
  names: endpoint?.eventTypes ?? [],
})

/** Makes an endpoint, whose page is where one goes on, or changes one. */
export default function EndpointForm({
  endpoint,
  etag,
  onClose,
}: {
  endpoint?: WebhookEndpoint
  etag?: string | undefined
  onClose: () => void
}) {
  const navigate = useNavigate()
  const [url, setUrl] = useState(endpoint?.url ?? '')
  const [events, setEvents] = useState(eventsOf(endpoint))
  // What was seen when it was opened, whatever is read meanwhile: a change of somebody else is refused, not lost.
  const [base, setBase] = useState(etag)
  const faults = useFormFaults(['/url', '/eventTypes'])
  const create = useAct('POST /webhooks', { changes: ['/webhooks'] })
  const update = useAct('PATCH /webhooks/{id}', { changes: ['/webhooks'] })
  const save = async (ifMatch: string | undefined) => {
    const body = { url: url.trim(), eventTypes: events.isAll ? [] : events.names }
    if (endpoint) {
      await update.mutateAsync({ params: { id: endpoint.id }, body, ifMatch })
      return onClose()
    }
    const { value } = await create.mutateAsync({ body })
    await navigate({ to: `/webhooks/${value.id}` as never })
  }
  const noNames = !events.isAll && events.names.length === 0
  return (
    <FormDialog
      title={endpoint ? 'Change endpoint' : 'New endpoint'}
      action={endpoint ? 'Save' : 'Create endpoint'}
      disabled={noNames}
      busy={create.isPending || update.isPending}
      faults={faults}
      conflict={{
        what: 'this endpoint',
        busy: update.isPending,
        onMine: () => save(etag).catch(faults.take),
        onTheirs: () => {
          setUrl(endpoint?.url ?? '')
          setEvents(eventsOf(endpoint))
          setBase(etag)
        },
      }}
      onSubmit={() => save(base).catch(faults.take)}
      onClose={onClose}
    >
      <FormField
        label="Address"
        type="url"
        pointer="/url"
        placeholder="https://example.com/hooks/postroom"
        description="It takes POST requests and answers with a status from 200 to 299 within 15 seconds."
        autoFocus
        faults={faults}
        value={url}
        onChange={setUrl}
      />
      <EventNamesField
        {...events}
        error={faults.at('/eventTypes')}
        onChange={(change) => setEvents({ ...events, ...change })}
      />
    </FormDialog>
  )
}
