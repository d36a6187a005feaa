import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '../../lib/use-site.ts'
import { Button, Checkbox } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form } from '../../ui/form-field.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { configOf, type Draft, limitsOf, NEW_DRAFT, POINTERS } from './integration-draft.ts'
import { IntegrationFields } from './integration-fields.tsx'
import classes from './integrations.module.css'
import { TestPanel } from './test-panel.tsx'

/** Adds a mail server or an account of Amazon SES, tested before it is saved. */
export default function NewIntegrationPage() {
  const navigate = useNavigate()
  const [draft, setDraft] = useState<Draft>(NEW_DRAFT)
  const [isDefault, setDefault] = useState(false)
  const faults = useFormFaults(Object.values(POINTERS))
  const create = useAct('POST /integrations', { changes: ['/integrations'] })
  const test = useAct('POST /integrations/test')
  const submit = () => {
    const body = {
      name: draft.name.trim() || (draft.kind === 'ses' ? 'Amazon SES' : draft.host.trim()),
      isDefault,
      config: configOf(draft),
      ...limitsOf(draft),
    }
    return create
      .mutateAsync({ body })
      .then(({ value }) => navigate({ to: `/integrations/${value.id}` as never, replace: true }))
      .catch(faults.take)
  }
  const tryIt = () => {
    faults.clear()
    test.mutateAsync({ body: { config: configOf(draft) } }).catch(faults.take)
  }
  return (
    <>
      <PageHeader title="New integration" back={{ to: '/integrations', label: 'Integrations' }} />
      <div className={classes.narrow}>
        <Form
          faults={faults}
          onSubmit={submit}
          actions={
            <>
              <ButtonLink to="/integrations">Cancel</ButtonLink>
              <Button type="submit" kind="primary" busy={create.isPending}>
                Save integration
              </Button>
            </>
          }
        >
          <IntegrationFields
            draft={draft}
            faults={faults}
            isNew
            onChange={(change) => setDraft({ ...draft, ...change })}
          />
          <TestPanel kind={draft.kind} result={test.data?.value} busy={test.isPending} onTest={tryIt} />
          <Checkbox
            label="Make it the default: mail goes through it where nothing else is named"
            checked={isDefault}
            onChange={(event) => setDefault(event.currentTarget.checked)}
          />
        </Form>
      </div>
    </>
  )
}
