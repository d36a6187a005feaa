import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useOneRun } from '../../lib/use-one-run.ts'
import { useAct } from '../../lib/use-site.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { sayProblem } from '../../ui/toasts.tsx'
import { contentOf } from './beginning-preview.ts'
import type { Beginning } from './beginnings.ts'
import classes from './gallery.module.css'
import { Gallery } from './gallery.tsx'

const KINDS = ['newsletter', 'announcement', 'relationship', 'transactional'] as const
const UNNAMED = 'New template'

/** A template is begun: from a mail of the gallery, or from nothing. */
export default function NewTemplatePage() {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const create = useAct('POST /templates', { changes: ['/templates'] })
  const take = async (beginning: Beginning) => {
    const given = name.trim() || (beginning.is === 'none' ? UNNAMED : beginning.name)
    const body = { name: given, ...(await contentOf(beginning)) }
    const { value } = await create.mutateAsync({ body })
    await navigate({ to: `/templates/${value.id}` as never, replace: true })
  }
  const { once, isRunning } = useOneRun((beginning: Beginning) => take(beginning).catch(sayProblem))
  return (
    <>
      <PageHeader title="New template" back={{ to: '/templates', label: 'Templates' }}>
        Choose a mail to begin with. Every word, colour and link of it is yours to change.
      </PageHeader>
      <div className={classes.name}>
        <TextField
          label="Name"
          placeholder="That of the mail you begin with"
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </div>
      <Gallery
        kinds={KINDS}
        own={false}
        path="/templates/new"
        busy={isRunning}
        onTake={(beginning) => void once(beginning)}
      />
    </>
  )
}
