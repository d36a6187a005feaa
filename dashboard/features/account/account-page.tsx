import { useState } from 'react'
import type { Account } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form, FormField } from '../../ui/form-field.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/states.tsx'
import { say } from '../../ui/toasts.tsx'
import { SecondFactor } from '../second-factor/second-factor.tsx'
import classes from './account.module.css'
import { ChangePassword } from './change-password.tsx'
import { Sessions } from './sessions.tsx'

/** One's own account: name, password, second factor, and where one is logged in. */
export default function AccountPage() {
  const account = useSite('GET /site/auth/me', {})
  return (
    <>
      <PageHeader title="Account">Yours alone, the same in every workspace.</PageHeader>
      <Shown read={account}>
        {(read) => (
          <div className={classes.panels}>
            <Profile account={read} />
            <ChangePassword changedAt={read.passwordChangedAt} />
            <SecondFactor />
            <Sessions />
          </div>
        )}
      </Shown>
    </>
  )
}

function Profile({ account }: { account: Account }) {
  const [name, setName] = useState(account.name)
  const faults = useFormFaults(['/name'])
  const change = useAct('PATCH /site/auth/me', { changes: ['/site/auth/me', '/site/auth/session', '/members'] })
  return (
    <Panel title="You">
      <Form
        faults={faults}
        onSubmit={() =>
          change
            .mutateAsync({ body: { name: name.trim() } })
            .then(() => say('Saved.'))
            .catch(faults.take)
        }
        actions={
          <Button type="submit" kind="primary" busy={change.isPending} disabled={name.trim() === account.name}>
            Save
          </Button>
        }
      >
        <FormField
          label="Name"
          pointer="/name"
          description={`Shown to those you work with, beside ${account.email}.`}
          faults={faults}
          value={name}
          onChange={setName}
        />
      </Form>
    </Panel>
  )
}
