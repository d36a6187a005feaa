import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { lazyPart } from '../../lib/load-part.ts'
import { useCan, useHere } from '../../lib/permissions.ts'
import { sentence } from '../../lib/sentence.ts'
import { siteTagged, type Tagged } from '../../lib/site.ts'
import type { Template } from '../../lib/site-types.ts'
import { useDraft } from '../../lib/use-draft.ts'
import { keyOf, refresh, useSiteTagged } from '../../lib/use-site.ts'
import { usePathId, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Button } from '../../ui/controls.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { HistoryIcon } from '../../ui/icons.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SaveMark, SaveNotice } from '../../ui/save-state.tsx'
import { Shown } from '../../ui/states.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { MailBody } from './mail-body.tsx'
import { MailPreview } from './mail-preview.tsx'
import { TemplateMenu } from './template-menu.tsx'
import { TemplateUse } from './template-use.tsx'
import classes from './templates.module.css'
import { TextPart } from './text-part.tsx'
import { useChosenBlock } from './use-chosen-block.ts'
import { type MailText, usePreview } from './use-preview.ts'

const TemplateVersions = lazyPart(() => import('./template-versions.tsx'))

type Written = MailText & { name: string }
const writtenOf = ({ name, subject, body, text }: Template): Written => ({ name, subject, body, text })

/** A template where it is written: its text, and beside it the mail that comes of it. */
export default function TemplatePage() {
  const id = usePathId('templateId')
  const template = useSiteTagged('GET /templates/{id}', { params: { id } })
  return <Shown read={template}>{({ value, etag }) => <Editor key={id} template={value} etag={etag} />}</Shown>
}

function Editor({ template, etag }: { template: Template; etag: string | undefined }) {
  const { id } = template
  const params = { id }
  const can = useCan()
  const { workspace } = useHere()
  const client = useQueryClient()
  const [{ open }, setUrl] = useUrlState({ open: '' })
  const [contactId, setContactId] = useState('')
  const blocks = useChosenBlock()
  const isReadOnly = !can('templates:write')
  const take = (there: Tagged<Template>): Tagged<Written> => {
    client.setQueryData([...keyOf('GET /templates/{id}', { params }), 'tagged'], there)
    return { value: writtenOf(there.value), etag: there.etag }
  }
  const draft = useDraft<Written>({
    name: `template ${id}`,
    initial: { value: writtenOf(template), etag },
    read: async () => take(await siteTagged('GET /templates/{id}', { params })),
    save: async (change, ifMatch) => {
      const saved = await siteTagged('PATCH /templates/{id}', { params, body: change, ifMatch })
      await refresh(client, '/templates/{id}/versions')
      return take(saved)
    },
  })
  const { value, state, change } = draft
  const preview = usePreview(value, contactId)
  return (
    <>
      <PageHeader
        title={value.name}
        back={{ to: '/templates', label: 'Templates' }}
        actions={
          <>
            {!isReadOnly && <SaveMark state={state} />}
            <AsCurl operation="GET /templates/{id}" params={params} />
            <Button icon={HistoryIcon} onClick={() => setUrl({ open: 'versions' })}>
              Versions
            </Button>
            <TemplateMenu template={{ ...template, ...value }} />
          </>
        }
      />
      <div className={classes.notices}>
        <SaveNotice state={state} isRestored={draft.isRestored} onResolve={(as) => void draft.resolve(as)} />
        {state.is === 'refused' && state.problem.status !== 422 && <FormProblem problem={state.problem} />}
      </div>
      <div className={classes.columns}>
        <Panel title="Text">
          <div className={classes.fields}>
            <TextField
              label="Name"
              value={value.name}
              maxLength={200}
              readOnly={isReadOnly}
              onChange={(event) => change({ name: event.currentTarget.value })}
            />
            <TextField
              label="Subject"
              value={value.subject}
              maxLength={1_000}
              readOnly={isReadOnly}
              error={preview.subjectFault && sentence(preview.subjectFault)}
              onChange={(event) => change({ subject: event.currentTarget.value })}
            />
            <MailBody
              value={value.body}
              onChange={(body) => change({ body })}
              preview={preview}
              blocks={blocks}
              readOnly={isReadOnly}
              hints={(preview.preview?.unknownVariables ?? []).map((name) => (
                <li key={name} data-severity="warning">
                  <code>{name}</code>
                  {name === 'postal_address'
                    ? ' is there in broadcasts and automations; a program that sends this has to give it.'
                    : ' is no field of your contacts: it has to come with the call.'}
                </li>
              ))}
            />
            <TextPart
              value={value.text}
              onChange={(text) => change({ text })}
              preview={preview}
              readOnly={isReadOnly}
            />
            <TemplateUse id={id} />
          </div>
        </Panel>
        <MailPreview
          preview={preview}
          fromName={workspace.name}
          contactId={contactId}
          onContact={setContactId}
          blocks={isReadOnly ? undefined : blocks}
        />
      </div>
      {open === 'versions' && (
        <TemplateVersions
          id={id}
          current={value.body}
          etag={draft.etag}
          onRestored={() => draft.resolve('theirs')}
          onClose={() => setUrl({ open: '' })}
        />
      )}
    </>
  )
}
