import { useState } from 'react'
import { localText, ZONE } from '../../lib/local-time.ts'
import type { SiteWebhookEndpointRead as Endpoint } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { say } from '../../ui/toasts.tsx'

const DAY_MS = 86_400_000

/** Has everything since a time delivered that did not reach the endpoint. */
export default function RecoverDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const [since, setSince] = useState(() => localText(new Date(Date.now() - DAY_MS)))
  const faults = useFormFaults(['/since'])
  const recover = useAct('POST /webhooks/{id}/recover', { changes: ['/webhooks'] })
  const submit = () =>
    recover
      .mutateAsync({ params: { id: endpoint.id }, body: { since: new Date(since).toISOString() } })
      .then(() => {
        say('Recovering in the background. Deliveries appear as they are found.')
        onClose()
      })
      .catch(faults.take)
  return (
    <FormDialog
      title="Recover what was missed"
      action="Recover"
      disabled={since === ''}
      busy={recover.isPending}
      faults={faults}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="soft">
        Every stored event since then that did not reach this endpoint is delivered: discarded deliveries again, events
        missed while it was off for the first time. What arrived is not sent twice.
      </p>
      <TextField
        type="datetime-local"
        label="Since"
        description={`In your time zone, ${ZONE}.`}
        value={since}
        max={localText(new Date())}
        error={faults.at('/since')}
        data-autofocus
        onChange={(event) => setSince(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
