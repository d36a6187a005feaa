import type { ComponentProps } from 'react'
import { Button } from './controls.tsx'
import { Dialog } from './dialog.tsx'
import { Form } from './form-field.tsx'

type Props = Omit<ComponentProps<typeof Form>, 'actions' | 'isKept'> & {
  title: string
  /** On the button that sends it. */
  action: string
  kind?: 'primary' | 'danger'
  /** Its answer is not there yet. */
  busy: boolean
  /** What it needs is not there yet. */
  disabled?: boolean
  onClose: () => void
}

/** A form over the page, with the button that sends it and the one that leaves it. */
export function FormDialog({ title, action, kind = 'primary', busy, disabled = false, onClose, ...form }: Props) {
  return (
    <Dialog title={title} opened onClose={onClose}>
      <Form
        {...form}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" kind={kind} busy={busy} disabled={disabled}>
              {action}
            </Button>
          </>
        }
      />
    </Dialog>
  )
}
