import { type Choice, ChoiceField } from '../../ui/choice.tsx'

type Consent = 'confirmed' | 'unconfirmed'
const CHOICES: readonly Choice<Consent>[] = [
  {
    value: 'confirmed',
    label: 'Yes, everybody in it agreed',
    description: 'They get marketing mail. Each of them keeps a note that it was this import that said so.',
  },
  {
    value: 'unconfirmed',
    label: 'No, or I do not know',
    description: 'They are contacts. With double opt-in they get no marketing mail before they have confirmed it.',
  },
]

/** Whether the people of a file agreed to marketing mail, where their row does not say it. Nothing is chosen before. */
export function ConsentChoice({
  chosen,
  onChange,
}: {
  chosen: Consent | undefined
  onChange: (consent: Consent) => void
}) {
  return (
    <ChoiceField
      label="Did these people agree to get your mail?"
      value={chosen}
      choices={CHOICES}
      onChange={onChange}
    />
  )
}
