import { EmitForm, FieldForm, OtherForm, TagForm, WebhookForm } from './effect-forms.tsx'
import { NotifyForm } from './notify-form.tsx'
import { SetForm } from './set-form.tsx'
import type { FormProps } from './step-form.tsx'

/** The form of a step that does something to the person, or tells others of them. `own` is the automation that it is in. */
export default function EffectForm({ own, ...props }: FormProps & { own: string }) {
  switch (props.node.type) {
    case 'tag':
      return <TagForm {...props} />
    case 'field':
      return <FieldForm {...props} />
    case 'emit':
      return <EmitForm {...props} />
    case 'webhook':
      return <WebhookForm {...props} />
    case 'notify':
      return <NotifyForm {...props} />
    case 'set':
      return <SetForm {...props} />
    default:
      return <OtherForm {...props} own={own} />
  }
}
