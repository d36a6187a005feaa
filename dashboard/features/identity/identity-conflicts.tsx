import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import type { IdentityConflict } from '../../lib/site-types.ts'
import { refresh, useAct, useSite } from '../../lib/use-site.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button } from '../../ui/controls.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { sayProblem } from '../../ui/toasts.tsx'
import { ContactLink, ContactName } from '../contacts/contact-link.tsx'
import classes from './identity-conflicts.module.css'

const SHOWN_MAX = 20

const WORDS: Readonly<Record<IdentityConflict['kind'], string>> = {
  'aliases-disagree': 'Your server has named both as one person',
  'alias-taken': 'Your server states an address that the other one has',
  'possible-duplicate': 'The other one was made by the page of a visitor who is this one',
  'too-many-visitors': 'Too many visitors claim to be this one',
}

/** What contacts have against statements about them, for somebody to decide; not there while there is nothing. */
export function IdentityConflicts() {
  const can = useCan()
  const client = useQueryClient()
  const conflicts = useSite('GET /identity-conflicts', { query: { pageSize: SHOWN_MAX } })
  const [merged, setMerged] = useState<IdentityConflict>()
  const resolve = useAct('POST /identity-conflicts/{id}/resolve', { changes: ['/identity-conflicts', '/contacts'] })
  const { items = [], totalItems = 0 } = conflicts.data ?? {}
  if (totalItems === 0) return null
  const settle = ({ id }: IdentityConflict, as: 'merge' | 'keep') =>
    resolve.mutateAsync({ params: { id }, body: { as } })
  // Somebody else may have decided it meanwhile.
  const keep = (conflict: IdentityConflict) =>
    settle(conflict, 'keep').catch((error: unknown) => {
      void refresh(client, '/identity-conflicts')
      sayProblem(error)
    })
  const acts = (conflict: IdentityConflict) => (
    <div className={classes.acts}>
      {conflict.otherContactId !== null && <Button onClick={() => setMerged(conflict)}>Merge</Button>}
      <Button
        busy={resolve.isPending && resolve.variables.params.id === conflict.id}
        onClick={() => void keep(conflict)}
      >
        {conflict.otherContactId === null ? 'Dismiss' : 'Two people'}
      </Button>
    </div>
  )
  return (
    <Panel
      title="Who is who"
      flush
      note={totalItems > items.length ? `The first ${items.length} of ${totalItems}` : undefined}
    >
      <ul className={classes.conflicts} aria-label="Identity conflicts">
        {items.map((conflict) => (
          <li key={conflict.id}>
            <div className={classes.what}>
              <p>{WORDS[conflict.kind]}</p>
              <p className="soft">
                <People conflict={conflict} />, <RelativeTime at={conflict.lastSeenAt} />
              </p>
            </div>
            {can('contacts:write') && acts(conflict)}
          </li>
        ))}
      </ul>
      {merged !== undefined && (
        <ConfirmDialog
          title="Merge two contacts"
          opened
          danger
          onClose={() => setMerged(undefined)}
          action="Merge 2 contacts"
          onConfirm={() => settle(merged, 'merge')}
        >
          <p>
            <strong>
              <ContactName contactId={merged.otherContactId!} />
            </strong>{' '}
            becomes part of{' '}
            <strong>
              <ContactName contactId={merged.contactId} />
            </strong>
            : what it has, did and was sent moves over, and it is no more. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  )
}

function People({ conflict: { contactId, otherContactId } }: { conflict: IdentityConflict }) {
  const one = <ContactLink contactId={contactId} />
  if (otherContactId === null) return one
  return (
    <>
      {one} and <ContactLink contactId={otherContactId} />
    </>
  )
}
