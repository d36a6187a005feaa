import { type Choice, ChoiceField } from '../../ui/choice.tsx'
import { Notice } from '../../ui/notice.tsx'

type Consent = 'confirmed' | 'unconfirmed'
const CHOICES: readonly Choice<Consent>[] = [
  {
    value: 'confirmed',
    label: 'Yes, everybody in it agreed',
    description: 'They get marketing mail. Each of them keeps a note that you said so, and when.',
  },
  {
    value: 'unconfirmed',
    label: 'No, or I do not know',
    description:
      'They are contacts. With double opt-in on they get no marketing mail before they confirm; with it off they get it all the same.',
  },
]

const NAMED_FOR_CONSENT =
  /unsub|opt(ed)?[ _-]?(in|out)\b|consent|suppress|blacklist|blocklist|marketing|newsletter|einwillig|abgemeldet|abgemeld|desabonn|désabonn|bounce/i
const OTHER_WAYS = /sms|phone|whatsapp|push|campaign/i

/** Columns that are called as if they told who said no, and that keep nobody from mail where they go. */
export function unheededColumns(mapping: Readonly<Record<string, string>>, names: readonly string[]): string[] {
  const isHeeded = (name: string) => /^(consent:|topics$)/.test(mapping[name] ?? '')
  return names.filter((name) => NAMED_FOR_CONSENT.test(name) && !OTHER_WAYS.test(name) && !isHeeded(name))
}

export function UnheededColumns({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null
  const isOne = names.length === 1
  return (
    <Notice tone="warn">
      {isOne ? 'Does' : 'Do'} {names.join(', ')} say who wants no mail? Where {isOne ? 'it goes' : 'they go'} now,{' '}
      {isOne ? 'it keeps' : 'they keep'} nobody from getting it. Choose “Consent: status” for words such as subscribed
      and unsubscribed, and “Consent: unsubscribed” for a time or a yes.
    </Notice>
  )
}

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
