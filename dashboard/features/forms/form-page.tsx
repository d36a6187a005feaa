import { type ComponentProps, useState } from 'react'
import { lazyPart, usePartsHere } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import { areKnown } from '../../lib/use-known.ts'
import { useSiteTagged } from '../../lib/use-site.ts'
import { usePathId } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Shown } from '../../ui/states.tsx'
import { DeleteForm } from './delete-form.tsx'
import { EmbedPanel } from './embed-panel.tsx'
import type { FormPreview as Preview } from './form-preview.tsx'
import { FormSettings } from './form-settings.tsx'
import { FormState } from './form-words.tsx'
import classes from './forms.module.css'
import { StatsPanel, useFormStats } from './stats-panel.tsx'
import { Submissions } from './submissions.tsx'

const FormPreview = lazyPart(async () => ({ default: (await import('./form-preview.tsx')).FormPreview }))
const PARTS = [FormPreview]

/** One form: how it fares, what it asks, and how to put it on a site. */
export default function FormPage() {
  const id = usePathId('formId')
  const mayWrite = useCan()('forms:write')
  const [change, setChange] = useState<ComponentProps<typeof Preview>['change']>({})
  const form = useSiteTagged('GET /forms/{id}', { params: { id } })
  const stats = useFormStats(id)
  const isWhole = usePartsHere(PARTS) && areKnown(stats)
  return (
    <Shown read={form} when={isWhole}>
      {({ value, etag }) => (
        <>
          <PageHeader
            title={value.name}
            back={{ to: '/forms', label: 'Forms' }}
            badge={<FormState state={value.state} />}
            actions={
              <>
                <AsCurl operation="GET /forms/{id}" params={{ id }} />
                {mayWrite && <DeleteForm form={value} />}
              </>
            }
          />
          <div className={classes.columns}>
            <FormSettings key={id} form={value} etag={etag} mayWrite={mayWrite} onDraft={setChange} />
            <div className={classes.panels}>
              <FormPreview id={id} change={change} />
              <StatsPanel read={stats} />
              <EmbedPanel id={id} />
            </div>
          </div>
          <Submissions id={id} />
        </>
      )}
    </Shown>
  )
}
