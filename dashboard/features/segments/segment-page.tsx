import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import type { Segment } from '../../lib/site-types.ts'
import { useAct, useSiteTagged } from '../../lib/use-site.ts'
import { usePathId } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button, IconButton } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form, FormField } from '../../ui/form-field.tsx'
import { DotsIcon, SpeakerphoneIcon, TrashIcon, UsersIcon } from '../../ui/icons.tsx'
import { InUse } from '../../ui/in-use.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Shown } from '../../ui/states.tsx'
import { say } from '../../ui/toasts.tsx'
import { SegmentEditor } from './segment-editor.tsx'
import classes from './segments.module.css'
import { isSame, useKeptDraft } from './use-kept-draft.ts'

/** A segment: its rules, who fits them now, and what was changed and not saved yet. */
export default function SegmentPage() {
  const id = usePathId('segmentId')
  const segment = useSiteTagged('GET /segments/{id}', { params: { id } })
  return <Shown read={segment}>{({ value, etag }) => <Editing key={id} segment={value} etag={etag} />}</Shown>
}

function Editing({ segment, etag }: { segment: Segment; etag: string | undefined }) {
  const can = useCan()
  const mayWrite = can('segments:write')
  const saved = { name: segment.name, definition: segment.definition, etag }
  const { draft, base, change, forget, took } = useKeptDraft(segment.id, saved)
  const faults = useFormFaults(['/name'])
  const update = useAct('PATCH /segments/{id}', { changes: ['/segments', '/contacts'] })
  const isChanged = !isSame(draft, saved)
  // One's own may be read before its answer is heard, which waits for all that is read anew.
  const isOwn = update.isPending && isSame(update.variables.body ?? {}, saved)
  const save = (ifMatch: string | undefined) => {
    const { name, definition } = draft
    update
      .mutateAsync({ params: { id: segment.id }, body: { name, definition }, ifMatch })
      .then(({ etag: next }) => {
        took(draft, next)
        say('Segment saved.')
      })
      .catch(faults.take)
  }
  return (
    <>
      <PageHeader
        title={segment.name}
        back={{ to: '/segments', label: 'Segments' }}
        actions={
          <>
            <AsCurl operation="GET /segments/{id}/preview" params={{ id: segment.id }} />
            <ButtonLink to="/contacts" search={{ segmentId: segment.id }} icon={UsersIcon}>
              Its contacts
            </ButtonLink>
            {can('broadcasts:write') && (
              <ButtonLink to="/broadcasts/new" search={{ segmentId: segment.id }} icon={SpeakerphoneIcon}>
                Write to them
              </ButtonLink>
            )}
            {mayWrite && <More segment={segment} onGone={forget} />}
          </>
        }
      >
        Changed <RelativeTime at={segment.updatedAt} />
      </PageHeader>
      <div className={classes.parts}>
        <SegmentEditor
          definition={draft.definition}
          onChange={(definition) => change({ ...draft, definition })}
          readOnly={!mayWrite}
        >
          {mayWrite && (
            <div className={classes.narrow}>
              <Form
                isKept
                faults={faults}
                conflict={{
                  what: 'this segment',
                  busy: update.isPending,
                  isKnown: base !== etag && !isOwn,
                  onMine: () => save(etag),
                  onTheirs: forget,
                }}
                onSubmit={() => save(base)}
                actions={
                  <>
                    {isChanged && <Button onClick={forget}>Undo all changes</Button>}
                    <Button type="submit" kind="primary" disabled={!isChanged} busy={update.isPending}>
                      {isChanged ? 'Save changes' : 'Saved'}
                    </Button>
                  </>
                }
              >
                <FormField
                  label="Name"
                  pointer="/name"
                  faults={faults}
                  value={draft.name}
                  onChange={(name) => change({ ...draft, name })}
                />
              </Form>
            </div>
          )}
        </SegmentEditor>
      </div>
    </>
  )
}

function More({ segment, onGone }: { segment: Segment; onGone: () => void }) {
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const remove = useAct('DELETE /segments/{id}', { changes: ['/segments'] })
  return (
    <>
      <Menu
        target={<IconButton label="More" icon={DotsIcon} tooltip={false} />}
        entries={[{ label: 'Delete', icon: TrashIcon, danger: true, onSelect: () => setAsking(true) }]}
      />
      <ConfirmDialog
        title={`Delete “${segment.name}”`}
        opened={isAsking}
        onClose={() => setAsking(false)}
        action="Delete segment"
        danger
        Refusal={InUse}
        onConfirm={async () => {
          await remove.mutateAsync({ params: { id: segment.id } })
          onGone()
          await navigate({ to: '/segments' as never, replace: true })
        }}
      >
        <p>
          The rule is gone; the people in it stay as they are. One that a draft or another segment uses is not deleted.
        </p>
      </ConfirmDialog>
    </>
  )
}
