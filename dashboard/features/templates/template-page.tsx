import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useCan, useHere } from '../../lib/permissions.ts'
import { siteTagged, type Tagged } from '../../lib/site.ts'
import type { Template } from '../../lib/site-types.ts'
import { useDraft } from '../../lib/use-draft.ts'
import { refresh, useSiteTagged } from '../../lib/use-site.ts'
import { usePathId, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Button } from '../../ui/controls.tsx'
import { sentence } from '../../ui/form.ts'
import { FormProblem } from '../../ui/form-field.tsx'
import { HistoryIcon } from '../../ui/icons.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SaveMark, SaveNotice } from '../../ui/save-state.tsx'
import { Loading, Shown } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { MailPreview } from './mail-preview.tsx'
import { TemplateMenu } from './template-menu.tsx'
import classes from './templates.module.css'
import { type MailText, usePreview } from './use-preview.ts'

const CodeEditor = lazy(() => import('./code-editor.tsx'))
const TemplateVersions = lazy(() => import('./template-versions.tsx'))

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
  const isReadOnly = !can('templates:write')
  const tagged = ({ value, etag: tag }: Tagged<Template>): Tagged<Written> => ({ value: writtenOf(value), etag: tag })
  const draft = useDraft<Written>({
    name: `template ${id}`,
    initial: { value: writtenOf(template), etag },
    read: async () => tagged(await siteTagged('GET /templates/{id}', { params })),
    save: async (change, ifMatch) => {
      const saved = await siteTagged('PATCH /templates/{id}', { params, body: change, ifMatch })
      await refresh(client, '/templates/{id}/versions')
      return tagged(saved)
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
            <TemplateMenu template={template} onBefore={draft.flush} />
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
            <div>
              <p className="field-label">Mail</p>
              <Suspense fallback={<Loading rows={6} label="The editor is loading" />}>
                <CodeEditor
                  label="Mail, MJML or HTML with Liquid"
                  value={value.body}
                  onChange={(body) => change({ body })}
                  faults={preview.faults}
                  readOnly={isReadOnly}
                  variables={preview.preview?.variables ?? []}
                />
              </Suspense>
              <ul className={classes.faults} aria-label="Faults of the mail">
                {preview.faults.map(({ line, detail, severity }) => (
                  <li key={`${line} ${detail}`} data-severity={severity}>
                    {line !== null && <span className="numbers">Line {line}: </span>}
                    {sentence(detail)}
                  </li>
                ))}
                {(preview.preview?.unknownVariables ?? []).map((name) => (
                  <li key={name} data-severity="warning">
                    <code>{name}</code> is no field of your contacts: it has to come with the call.
                  </li>
                ))}
              </ul>
            </div>
            {!isReadOnly && (
              <Switch
                label="Write the text part myself"
                description="For readers without HTML. Otherwise it is made of the mail."
                checked={value.text !== null}
                onChange={(event) =>
                  change({ text: event.currentTarget.checked ? (preview.preview?.text ?? '').slice(0, 200_000) : null })
                }
              />
            )}
            {value.text !== null && (
              <TextArea
                label="Text part"
                value={value.text}
                maxLength={200_000}
                readOnly={isReadOnly}
                onChange={(event) => change({ text: event.currentTarget.value })}
              />
            )}
          </div>
        </Panel>
        <MailPreview preview={preview} fromName={workspace.name} contactId={contactId} onContact={setContactId} />
      </div>
      {open === 'versions' && (
        <Suspense>
          <TemplateVersions
            id={id}
            current={value.body}
            etag={draft.etag}
            onRestored={() => draft.resolve('theirs')}
            onClose={() => setUrl({ open: '' })}
          />
        </Suspense>
      )}
    </>
  )
}
