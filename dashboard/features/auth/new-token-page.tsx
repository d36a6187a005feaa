import { useMemo, useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import type { MadeToken } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { Button, Checkbox, Select } from '../../ui/controls.tsx'
import { type FormFaults, useFormFaults } from '../../ui/form.ts'
import { Form, FormField } from '../../ui/form-field.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PRESETS, SCOPE_GROUPS, type Scope } from './scope-words.ts'
import { ShownToken } from './shown-token.tsx'
import classes from './tokens.module.css'

const DAY_MS = 86_400_000

const inDays = (days: string) => (days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString())
const TERMS = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]

/** Makes a token. It is shown once, with a request that tries it. */
export default function NewTokenPage() {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set())
  const [days, setDays] = useState('90')
  // Of the moment it was chosen: pressed again it is the same act.
  const expiresAt = useMemo(() => inDays(days), [days])
  const [made, setMade] = useState<MadeToken>()
  const faults = useFormFaults(['/name', '/scopes', '/expiresAt'])
  const create = useAct('POST /tokens', { changes: ['/tokens'] })
  if (made) return <ShownToken made={made} />
  const submit = () => {
    create
      .mutateAsync({ body: { name: name.trim(), scopes: [...scopes], expiresAt } })
      .then(({ value }) => setMade(value))
      .catch(faults.take)
  }
  return (
    <>
      <PageHeader title="New token" back={{ to: '/tokens', label: 'Tokens' }} />
      <div className={classes.narrow}>
        <Form
          faults={faults}
          onSubmit={submit}
          actions={
            <>
              <ButtonLink to="/tokens">Cancel</ButtonLink>
              <Button type="submit" kind="primary" busy={create.isPending} disabled={scopes.size === 0}>
                {scopes.size === 0 ? 'Choose a scope first' : 'Make token'}
              </Button>
            </>
          }
        >
          <FormField
            label="Name"
            pointer="/name"
            placeholder="Shop, production"
            description="What it is for, so that you know it when you see it."
            faults={faults}
            value={name}
            onChange={setName}
          />
          <Select
            label="Expires"
            value={days}
            error={faults.at('/expiresAt')}
            onChange={(event) => setDays(event.currentTarget.value)}
            options={TERMS}
          />
          <ScopesPanel scopes={scopes} onChange={setScopes} faults={faults} />
        </Form>
      </div>
    </>
  )
}

function ScopesPanel({
  scopes,
  onChange,
  faults,
}: {
  scopes: ReadonlySet<Scope>
  onChange: (scopes: ReadonlySet<Scope>) => void
  faults: FormFaults
}) {
  const can = useCan()
  const toggle = (scope: Scope, isIn: boolean) => {
    const next = new Set(scopes)
    if (isIn) next.add(scope)
    else next.delete(scope)
    onChange(next)
  }
  const fault = faults.at('/scopes')
  return (
    <Panel title="What it may do" note={scopes.size === 0 ? 'nothing yet' : `${scopes.size} scopes`}>
      <div className={classes.presets}>
        {PRESETS.map((preset) => (
          <button
            key={preset.name}
            type="button"
            className={classes.preset}
            onClick={() => onChange(new Set(preset.scopes.filter(can)))}
          >
            <strong>{preset.name}</strong>
            <span>{preset.words}</span>
          </button>
        ))}
      </div>
      {fault !== undefined && <p className="field-error">{fault}</p>}
      <div className={classes.groups}>
        {SCOPE_GROUPS.map(({ area, scopes: offered }) => (
          <fieldset key={area} className={classes.group}>
            <legend>{area}</legend>
            {offered.map(({ scope, act }) => (
              <Checkbox
                key={scope}
                label={act}
                title={scope}
                checked={scopes.has(scope)}
                disabled={!can(scope)}
                onChange={(event) => toggle(scope, event.currentTarget.checked)}
              />
            ))}
          </fieldset>
        ))}
      </div>
    </Panel>
  )
}
