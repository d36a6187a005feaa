import { ChoiceField } from '../../ui/choice.tsx'
import { Select } from '../../ui/controls.tsx'
import type { FormFaults } from '../../ui/form.ts'
import { FormField } from '../../ui/form-field.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { type Draft, POINTERS } from './integration-draft.ts'
import classes from './integrations.module.css'

/** Hosts of services that many use; anything else is typed. */
const SERVICES = [
  { name: 'Brevo', host: 'smtp-relay.brevo.com' },
  { name: 'Mailgun (EU)', host: 'smtp.eu.mailgun.org' },
  { name: 'Mailgun (US)', host: 'smtp.mailgun.org' },
  { name: 'Mailjet', host: 'in-v3.mailjet.com' },
  { name: 'Postmark', host: 'smtp.postmarkapp.com' },
  { name: 'Resend', host: 'smtp.resend.com' },
  { name: 'SendGrid', host: 'smtp.sendgrid.net' },
]
const SUBMISSION_PORT = '587'

type Props = {
  draft: Draft
  onChange: (change: Partial<Draft>) => void
  faults: FormFaults
  /** An integration that is there keeps its secrets while they stay blank. */
  isNew: boolean
}

type TextName = Exclude<keyof Draft, 'kind' | 'tls'>

/** How it sends, as whom, and how fast. */
export function IntegrationFields({ draft, onChange, faults, isNew }: Props) {
  const field = (name: TextName) => ({
    faults,
    pointer: POINTERS[name],
    value: draft[name],
    onChange: (value: string) => onChange({ [name]: value }),
  })
  const secret = (name: 'password' | 'accessKeyId' | 'secretAccessKey', label: string) => (
    <PasswordField
      label={label}
      description={isNew ? undefined : 'Blank: it stays as it is. With another server it has to be given again.'}
      autoComplete="new-password"
      value={draft[name]}
      error={faults.at(POINTERS[name])}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  )
  return (
    <>
      <Panel title="How it sends">
        <div className="form">
          <ChoiceField
            label="Kind"
            hideLabel
            value={draft.kind}
            onChange={(kind) => onChange({ kind })}
            choices={[
              {
                value: 'smtp',
                label: 'Mail server (SMTP)',
                description: 'Your own, or that of nearly every mail service.',
              },
              { value: 'ses', label: 'Amazon SES', description: 'By its API, with the quota of your account.' },
            ]}
          />
          {draft.kind === 'smtp' ? (
            <>
              <ServiceSelect host={draft.host} onPick={(host) => onChange({ host, port: SUBMISSION_PORT, tls: '' })} />
              <div className={classes.pair}>
                <FormField label="Host" placeholder="smtp.example.com" {...field('host')} />
                <FormField label="Port" type="number" {...field('port')} />
              </div>
              <Select
                label="Encryption"
                description="Never left out silently: a server that does not offer it gets neither login nor mail."
                value={draft.tls}
                error={faults.at(POINTERS.tls)}
                onChange={(event) => onChange({ tls: event.currentTarget.value as Draft['tls'] })}
                options={[
                  { value: '', label: 'As the port has it (465: TLS at once, others: STARTTLS)' },
                  { value: 'starttls', label: 'STARTTLS' },
                  { value: 'implicit', label: 'TLS from the first byte' },
                  { value: 'none', label: 'None: clear text, for a relay on this machine' },
                ]}
              />
              <FormField label="User name" description="Without one there is no login." {...field('username')} />
              {secret('password', 'Password')}
            </>
          ) : (
            <>
              <FormField label="Region" placeholder="eu-central-1" {...field('region')} />
              {secret('accessKeyId', 'Access key id')}
              {secret('secretAccessKey', 'Secret access key')}
              <FormField
                label="Endpoint"
                description="Of a service that is compatible with Amazon SES. Blank: Amazon’s own."
                {...field('endpoint')}
              />
            </>
          )}
        </div>
      </Panel>
      <Panel title="Sender">
        <div className="form">
          <FormField
            label="Address"
            type="email"
            placeholder="news@example.com"
            description="Where nothing else names a sender. Its domain has to be verified."
            {...field('from')}
          />
          <FormField label="Name" placeholder="Example News" {...field('fromName')} />
        </div>
      </Panel>
      <Panel title="Name and limits">
        <div className="form">
          <FormField label="Name of this integration" placeholder="Newsletter relay" {...field('name')} />
          <div className={classes.pair}>
            <FormField
              label="At most a day"
              type="number"
              placeholder="No limit of yours"
              description="Over any 24 hours."
              {...field('maxPerDay')}
            />
            <FormField
              label="At most a second"
              type="number"
              placeholder="No limit"
              description="As the server bears."
              {...field('maxPerSecond')}
            />
          </div>
        </div>
      </Panel>
    </>
  )
}

function ServiceSelect({ host, onPick }: { host: string; onPick: (host: string) => void }) {
  const known = SERVICES.some((service) => service.host === host)
  return (
    <Select
      label="Service"
      value={known ? host : ''}
      onChange={(event) => event.currentTarget.value !== '' && onPick(event.currentTarget.value)}
      options={[
        { value: '', label: 'Another server' },
        ...SERVICES.map((service) => ({ value: service.host, label: service.name })),
      ]}
    />
  )
}
