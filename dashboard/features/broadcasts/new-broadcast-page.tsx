import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import { useOneRun } from '../../lib/use-one-run.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { useUrlState } from '../../lib/use-url-state.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { sayProblem } from '../../ui/toasts.tsx'
import { contentOf } from '../templates/beginning-preview.ts'
import type { Beginning } from '../templates/beginnings.ts'
import classes from '../templates/gallery.module.css'
import { Gallery } from '../templates/gallery.tsx'

const KINDS = ['newsletter', 'announcement', 'relationship'] as const
const UNNAMED = 'New broadcast'

/** A broadcast is begun: it gets a name, and a mail to begin with. All else is written on its page, but for a segment that the address names. */
export default function NewBroadcastPage() {
  const can = useCan()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [{ segmentId }] = useUrlState({ segmentId: '' })
  const isToSegment = /^[1-9]\d{0,17}$/.test(segmentId)
  const segment = useSite('GET /segments/{id}', { params: { id: segmentId } }, { enabled: isToSegment })
  const create = useAct('POST /broadcasts', { changes: ['/broadcasts'] })
  const take = async (beginning: Beginning) => {
    const given = name.trim() || (beginning.is === 'none' ? UNNAMED : beginning.name)
    const audience = isToSegment ? { segmentIds: [segmentId] } : {}
    const body = { name: given, ...(await contentOf(beginning)), ...audience }
    const { value } = await create.mutateAsync({ body })
    await navigate({ to: `/broadcasts/${value.id}` as never, replace: true })
  }
  const { once, isRunning } = useOneRun((beginning: Beginning) => take(beginning).catch(sayProblem))
  return (
    <>
      <PageHeader title="New broadcast" back={{ to: '/broadcasts', label: 'Broadcasts' }}>
        Choose a mail to begin with.{segment.data && ` It goes to the segment “${segment.data.name}”.`} Nothing goes out
        before you have seen to whom, and have said so.
      </PageHeader>
      <div className={classes.name}>
        <TextField
          label="Name"
          description="For you and your colleagues; recipients do not see it."
          placeholder="That of the mail you begin with"
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </div>
      <Gallery
        kinds={KINDS}
        own={can('templates:read')}
        path="/broadcasts/new"
        kept={isToSegment ? { segmentId } : {}}
        busy={isRunning}
        onTake={(beginning) => void once(beginning)}
      />
    </>
  )
}
