import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '../../lib/use-site.ts'
import { SLUG } from '../../lib/workspace-here.ts'
import { ChoiceField } from '../../ui/choice.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Button } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form, FormField } from '../../ui/form-field.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { UploadField } from '../../ui/upload-field.tsx'
import classes from './moving.module.css'

const MIB = 1_048_576
const FILE_BYTES_MAX = 512 * MIB

type Source = 'brevo' | 'keila' | 'keila-file' | 'listmonk' | 'mailchimp' | 'mailchimp-archive'

const CHOICES: readonly { value: Source; label: string; description: string }[] = [
  { value: 'brevo', label: 'Brevo', description: 'By its API, with a key' },
  { value: 'keila', label: 'Keila', description: 'By its API, with a key' },
  { value: 'keila-file', label: 'Keila, a file', description: 'The CSV file of contacts that it exports' },
  { value: 'listmonk', label: 'listmonk', description: 'By its API, with an API user' },
  { value: 'mailchimp', label: 'Mailchimp', description: 'By its API, with a key' },
  {
    value: 'mailchimp-archive',
    label: 'Mailchimp, an archive',
    description: 'The ZIP file that it exports, with the templates',
  },
]
const FILES = {
  'keila-file': {
    type: 'text/csv',
    accept: '.csv,text/csv',
    label: 'The CSV file that Keila exports, of up to 512\u00a0MiB.',
    command: 'keila',
  },
  'mailchimp-archive': {
    type: 'application/zip',
    accept: '.zip,application/zip',
    label: 'The ZIP file that Mailchimp exports, of up to 512\u00a0MiB.',
    command: 'mailchimp',
  },
} as const
const ADDRESSED: ReadonlySet<Source> = new Set(['keila', 'listmonk'])

/** A service is chosen, and how it is to be read. Nothing is changed by that, there or here. */
export default function NewMovePage() {
  const [source, setSource] = useState<Source>('brevo')
  return (
    <>
      <PageHeader title="Move here" back={{ to: '/moves', label: 'Moves' }}>
        First everything is read, and you see what would come and what would not. Nothing is changed by that, there or
        here.
      </PageHeader>
      <div className={classes.narrow}>
        <ChoiceField label="Where you come from" value={source} onChange={setSource} choices={CHOICES} />
        <p className="soft">
          From Klaviyo, HubSpot, Customer.io, Shopify or a spreadsheet{' '}
          <Link to="/contacts/imports/new">import the file</Link> that it exports: what it says of consent is heeded.
        </p>
        {source === 'keila-file' || source === 'mailchimp-archive' ? (
          <OfFile key={source} source={source} />
        ) : (
          <OfService key={source} source={source} />
        )}
      </div>
    </>
  )
}

function OfService({ source }: { source: Exclude<Source, keyof typeof FILES> }) {
  const navigate = useNavigate()
  const faults = useFormFaults(['/address', '/key'])
  const [address, setAddress] = useState('')
  const [key, setKey] = useState('')
  const create = useAct('POST /moves', { changes: ['/moves'] })
  const submit = () =>
    create
      .mutateAsync({ body: { source, key, ...(address === '' ? {} : { address }) } })
      .then(({ value }) => navigate({ to: `/moves/${value.id}` as never, replace: true }))
      .catch(faults.take)
  return (
    <Form
      faults={faults}
      onSubmit={submit}
      actions={
        <Button type="submit" kind="primary" busy={create.isPending}>
          Read it
        </Button>
      }
    >
      {ADDRESSED.has(source) && (
        <FormField
          label="Address"
          pointer="/address"
          type="url"
          placeholder="https://list.example.com"
          required
          faults={faults}
          value={address}
          onChange={setAddress}
        />
      )}
      <PasswordField
        label={source === 'listmonk' ? 'API user and its token' : 'API key'}
        description={
          source === 'listmonk'
            ? 'As user:token. It is kept sealed while it is read, and forgotten then.'
            : 'It is kept sealed while it is read, and forgotten then.'
        }
        autoComplete="off"
        required
        withAsterisk={false}
        value={key}
        error={faults.at('/key') ?? (ADDRESSED.has(source) ? undefined : faults.at('/address'))}
        onChange={(event) => setKey(event.currentTarget.value)}
      />
    </Form>
  )
}

function OfFile({ source }: { source: keyof typeof FILES }) {
  const navigate = useNavigate()
  const upload = useAct('POST /moves/files', { changes: ['/moves'] })
  const { type, accept, label, command } = FILES[source]
  return (
    <UploadField
      label={label}
      accept={accept}
      bytesMax={FILE_BYTES_MAX}
      send={(content, sending) =>
        upload
          .mutateAsync({ query: { source }, file: { content, type }, ...sending })
          .then(({ value }) => navigate({ to: `/moves/${value.id}` as never, replace: true }))
      }
      otherwise={({ name }) => (
        <CodeBlock
          title="By the command line"
          note="On the machine of the service, with the file there. It looks first and changes nothing; add --apply to bring it in."
          text={`./postroom import-from ${command} ${quoted(name)} --workspace ${SLUG}`}
        />
      )}
    />
  )
}

/** A name as a shell takes it, whatever is in it. */
const quoted = (name: string) => `'${name.replaceAll("'", "'\\''")}'`
