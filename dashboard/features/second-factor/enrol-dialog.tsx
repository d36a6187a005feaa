import { useState } from 'react'
import type { SecondFactorEnrolment } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form } from '../../ui/form-field.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { QrCode } from './qr-code.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import classes from './second-factor.module.css'

/** Three steps: the password, the app, the recovery codes. */
export default function EnrolDialog({ onClose }: { onClose: () => void }) {
  const [enrolment, setEnrolment] = useState<SecondFactorEnrolment>()
  const [codes, setCodes] = useState<readonly string[]>()
  return (
    <Dialog title="Switch the second factor on" isShownOnce={codes !== undefined} opened onClose={onClose}>
      {codes ? (
        <RecoveryCodes codes={codes} onClose={onClose} />
      ) : enrolment ? (
        <Confirm enrolment={enrolment} onClose={onClose} onDone={setCodes} />
      ) : (
        <Password onClose={onClose} onDone={setEnrolment} />
      )}
    </Dialog>
  )
}

function Password({ onClose, onDone }: { onClose: () => void; onDone: (enrolment: SecondFactorEnrolment) => void }) {
  const [currentPassword, setPassword] = useState('')
  const faults = useFormFaults(['/currentPassword'])
  const enrol = useAct('POST /site/auth/second-factor/enrol')
  return (
    <Form
      faults={faults}
      onSubmit={() =>
        enrol
          .mutateAsync({ body: { currentPassword } })
          .then(({ value }) => onDone(value))
          .catch(faults.take)
      }
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={enrol.isPending} disabled={currentPassword === ''}>
            Go on
          </Button>
        </>
      }
    >
      <PasswordField
        label="Current password"
        description="To be sure that it is you."
        autoComplete="current-password"
        data-autofocus
        value={currentPassword}
        error={faults.at('/currentPassword')}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
    </Form>
  )
}

function Confirm({
  enrolment: { secret, otpauthUrl },
  onClose,
  onDone,
}: {
  enrolment: SecondFactorEnrolment
  onClose: () => void
  onDone: (codes: readonly string[]) => void
}) {
  const [code, setCode] = useState('')
  const faults = useFormFaults(['/code'])
  const confirm = useAct('POST /site/auth/second-factor/confirm', { changes: ['/site/auth'] })
  return (
    <Form
      faults={faults}
      onSubmit={() =>
        confirm
          .mutateAsync({ body: { code: code.trim() } })
          .then(({ value }) => onDone(value.recoveryCodes))
          .catch(faults.take)
      }
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={confirm.isPending} disabled={code.trim() === ''}>
            Switch on
          </Button>
        </>
      }
    >
      <p className="soft">Scan this with an authenticator app, then type the six digits that it shows.</p>
      <div className={classes.scan}>
        <QrCode text={otpauthUrl} label="Secret for the authenticator app" />
        <div className={classes.typed}>
          <span className="soft">Or type the secret:</span>
          <Copyable text={secret} what="the secret" />
        </div>
      </div>
      <TextField
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={10}
        data-autofocus
        value={code}
        error={faults.at('/code')}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
    </Form>
  )
}
