import { useState } from 'react'
import { useAct } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form } from '../../ui/form-field.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { say } from '../../ui/toasts.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { shownCode } from './shown-code.ts'

const WORDS = {
  codes: { title: 'New recovery codes', action: 'Make new codes', follows: 'The codes before are over at once.' },
  disable: {
    title: 'Switch the second factor off',
    action: 'Switch off',
    follows: 'From then on the password alone logs you in.',
  },
} as const

/** What needs the password and a code once more. */
export default function CodeDialog({ act, onClose }: { act: 'codes' | 'disable'; onClose: () => void }) {
  const [values, setValues] = useState({ currentPassword: '', code: '' })
  const [made, setMade] = useState<readonly string[]>()
  const faults = useFormFaults(['/currentPassword', '/code', '/recoveryCode'])
  const codes = useAct('POST /site/auth/second-factor/recovery-codes', { changes: ['/site/auth'] })
  const disable = useAct('POST /site/auth/second-factor/disable', { changes: ['/site/auth', '/members'] })
  const { title, action, follows } = WORDS[act]
  const submit = async () => {
    const body = { currentPassword: values.currentPassword, ...shownCode(values.code) }
    if (act === 'codes') return setMade((await codes.mutateAsync({ body })).value.recoveryCodes)
    await disable.mutateAsync({ body })
    say('The second factor is off.')
    onClose()
  }
  return (
    <Dialog title={title} isShownOnce={made !== undefined} opened onClose={onClose}>
      {made ? (
        <RecoveryCodes codes={made} onClose={onClose} />
      ) : (
        <Form
          faults={faults}
          onSubmit={() => submit().catch(faults.take)}
          actions={
            <>
              <Button onClick={onClose}>Cancel</Button>
              <Button
                type="submit"
                kind={act === 'disable' ? 'danger' : 'primary'}
                busy={codes.isPending || disable.isPending}
                disabled={values.currentPassword === '' || values.code.trim() === ''}
              >
                {action}
              </Button>
            </>
          }
        >
          <p className="soft">{follows}</p>
          <PasswordField
            label="Current password"
            autoComplete="current-password"
            data-autofocus
            value={values.currentPassword}
            error={faults.at('/currentPassword')}
            onChange={(event) => setValues({ ...values, currentPassword: event.currentTarget.value })}
          />
          <TextField
            label="Code of your app, or a recovery code"
            autoComplete="one-time-code"
            value={values.code}
            error={faults.at('/code') ?? faults.at('/recoveryCode')}
            onChange={(event) => setValues({ ...values, code: event.currentTarget.value })}
          />
        </Form>
      )}
    </Dialog>
  )
}
