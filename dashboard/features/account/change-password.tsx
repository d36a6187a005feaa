import { useState } from 'react'
import { useAct } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form } from '../../ui/form-field.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { say } from '../../ui/toasts.tsx'

const EMPTY = { currentPassword: '', newPassword: '' }

/** Another password; every other session ends with it. */
export function ChangePassword({ changedAt }: { changedAt: string }) {
  const [values, setValues] = useState(EMPTY)
  const faults = useFormFaults(['/currentPassword', '/newPassword'])
  const change = useAct('POST /site/auth/password', { changes: ['/site/auth'] })
  const field = (name: keyof typeof EMPTY) => ({
    value: values[name],
    error: faults.at(`/${name}`),
    onChange: (event: { currentTarget: HTMLInputElement }) =>
      setValues({ ...values, [name]: event.currentTarget.value }),
  })
  const submit = () =>
    change
      .mutateAsync({ body: values })
      .then(() => {
        setValues(EMPTY)
        say('The password is changed. Your other sessions are over.')
      })
      .catch(faults.take)
  return (
    <Panel
      title="Password"
      note={
        <>
          changed <RelativeTime at={changedAt} />
        </>
      }
    >
      <Form
        faults={faults}
        onSubmit={submit}
        actions={
          <Button
            type="submit"
            kind="primary"
            busy={change.isPending}
            disabled={values.currentPassword === '' || values.newPassword === ''}
          >
            Change password
          </Button>
        }
      >
        <PasswordField label="Current password" autoComplete="current-password" {...field('currentPassword')} />
        <PasswordField
          label="New password"
          description="At least 8 characters. Everywhere else you are logged out."
          autoComplete="new-password"
          {...field('newPassword')}
        />
      </Form>
    </Panel>
  )
}
