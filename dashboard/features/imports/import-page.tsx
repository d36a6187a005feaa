import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { countText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import type { ContactImport } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { usePathId } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button } from '../../ui/controls.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Shown } from '../../ui/states.tsx'
import { ImportProgress } from './import-progress.tsx'
import { ImportState } from './import-state.tsx'
import classes from './imports.module.css'
import { forgetChoices } from './kept-choices.ts'
import { MapColumns } from './map-columns.tsx'

const POLL_MS = 1_000

/** One file: what its columns are, then how it goes, then what became of every row. */
export default function ImportPage() {
  const id = usePathId('importId')
  const params = { id }
  const can = useCan()
  const remove = useAct('DELETE /contacts/imports/{id}', { changes: ['/contacts/imports'] })
  const isLeaving = remove.isPending || remove.isSuccess
  const read = useSite(
    'GET /contacts/imports/{id}',
    { params },
    { pollMs: ({ state }) => !isLeaving && (state === 'running' || state === 'uploaded') && POLL_MS },
  )
  return (
    <Shown read={read}>
      {(one) => (
        <>
          <PageHeader
            title={one.fileName ?? `Import ${one.id}`}
            back={{ to: '/contacts/imports', label: 'Imports' }}
            badge={<ImportState state={one.state} />}
            actions={
              <>
                <AsCurl operation="GET /contacts/imports/{id}" params={params} />
                {can('contacts:write') && <Acts one={one} onRemove={() => remove.mutateAsync({ params })} />}
              </>
            }
          >
            {one.state === 'uploaded' && 'About '}
            {countText(one.rows.total, 'row')}, read as {one.encoding.toUpperCase()}. Uploaded{' '}
            <RelativeTime at={one.createdAt} />.
          </PageHeader>
          <div className={classes.parts}>
            {one.state === 'uploaded' ? (
              can('contacts:write') ? (
                <MapColumns key={one.id} one={one} />
              ) : (
                <Notice>
                  Nothing of it is imported yet. It waits until somebody whose role may change contacts says what its
                  columns are, and whether these people agreed.
                </Notice>
              )
            ) : (
              <ImportProgress one={one} />
            )}
          </div>
        </>
      )}
    </Shown>
  )
}

function Acts({ one, onRemove }: { one: ContactImport; onRemove: () => Promise<unknown> }) {
  const navigate = useNavigate()
  const [asked, setAsked] = useState<'cancel' | 'delete'>()
  const params = { id: one.id }
  const cancel = useAct('POST /contacts/imports/{id}/cancel', { changes: ['/contacts/imports', '/contacts'] })
  const close = () => setAsked(undefined)
  if (one.state === 'running') {
    return (
      <>
        <Button onClick={() => setAsked('cancel')}>Stop the import</Button>
        <ConfirmDialog
          title="Stop the import"
          opened={asked === 'cancel'}
          onClose={close}
          action="Stop it"
          danger
          onConfirm={() => cancel.mutateAsync({ params })}
        >
          <p>
            {countText(one.rows.created + one.rows.updated + one.rows.unchanged, 'contact')} of the file are here by now
            and stay. The rest is not read.
          </p>
        </ConfirmDialog>
      </>
    )
  }
  if (one.state !== 'uploaded') return null
  return (
    <>
      <Button onClick={() => setAsked('delete')}>Discard the file</Button>
      <ConfirmDialog
        title="Discard the file"
        opened={asked === 'delete'}
        onClose={close}
        action="Discard it"
        danger
        onConfirm={async () => {
          await onRemove()
          forgetChoices(one.id)
          await navigate({ to: '/contacts/imports' as never, replace: true })
        }}
      >
        <p>Nothing of it was imported.</p>
      </ConfirmDialog>
    </>
  )
}
