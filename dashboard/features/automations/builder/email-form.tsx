import { lazyPart } from '../../../lib/load-part.ts'
import { useCan } from '../../../lib/permissions.ts'
import { sentence } from '../../../lib/sentence.ts'
import { useSite } from '../../../lib/use-site.ts'
import { useUrlState } from '../../../lib/use-url-state.ts'
import { Button, Select } from '../../../ui/controls.tsx'
import { PencilIcon } from '../../../ui/icons.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { record, text } from '../flow-node.ts'
import { DurationField } from './duration-field.tsx'
import { MailPicture } from './lazy-mail-picture.tsx'
import type { FormProps } from './step-form.tsx'
import { kindNamed } from './step-kinds.ts'

const MailDrawer = lazyPart(() => import('./mail-drawer.tsx'))
const TEMPLATES_MAX = 500
const OWN = ''

/** A mail: a template, or one that is written here. */
export default function EmailForm({ node, faultAt, change }: FormProps) {
  const can = useCan()
  const [{ mail }, setUrl] = useUrlState({ mail: '' })
  const templates = useSite(
    'GET /templates',
    { query: { pageSize: TEMPLATES_MAX } },
    { enabled: can('templates:read') },
  )
  const template = text(record(node.template).id)
  const [subject, body, none] = [faultAt('/subject'), faultAt('/body'), faultAt('/template')]
  const take = (id: string) =>
    change(
      id === OWN
        ? { template: undefined, subject: '', body: kindNamed('email')?.make('').body }
        : { template: { id }, subject: undefined, body: undefined, text: undefined },
    )
  const options = (templates.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const isListed = template === OWN || options.some(({ value }) => value === template)
  return (
    <>
      <Select
        id="mail-content"
        label="Mail"
        value={template}
        error={none && sentence(none)}
        options={[
          { value: OWN, label: 'Written here' },
          ...options,
          ...(isListed ? [] : [{ value: template, label: `Template ${template}` }]),
        ]}
        onChange={(event) => take(event.currentTarget.value)}
      />
      {template === OWN && (
        <>
          <TextField
            label="Subject"
            placeholder="You left something behind"
            value={text(node.subject)}
            maxLength={1_000}
            error={subject && sentence(subject)}
            onChange={(event) => change({ subject: event.currentTarget.value })}
          />
          <div>
            <Button icon={PencilIcon} onClick={() => setUrl({ mail: 'open' })}>
              Write the mail
            </Button>
            {body !== undefined && (
              <p className="field-error" role="alert">
                {sentence(`the mail ${body}`)}
              </p>
            )}
          </div>
        </>
      )}
      <MailPicture node={node} large />
      <Switch
        label="Not when it is late"
        description="A mail that is later than this after its time is not sent, and the person goes on."
        checked={text(node.notLaterThan) !== ''}
        onChange={(event) => change({ notLaterThan: event.currentTarget.checked ? 'PT12H' : undefined })}
      />
      {text(node.notLaterThan) !== '' && (
        <DurationField
          label="Late is more than"
          value={text(node.notLaterThan)}
          fault={faultAt('/notLaterThan')}
          onChange={(notLaterThan) => change({ notLaterThan })}
        />
      )}
      {mail === 'open' && template === OWN && (
        <MailDrawer node={node} change={change} onClose={() => setUrl({ mail: '' })} />
      )}
    </>
  )
}
