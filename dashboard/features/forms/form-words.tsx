import { READER_LANGUAGES } from '../../lib/catalogue.ts'
import type { CustomField, Form } from '../../lib/site-types.ts'
import type { Choice } from '../../ui/choice.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'

const languages = new Intl.DisplayNames('en', { type: 'language' })
const CUSTOM = 'custom:'
const OWN_FIELDS: Readonly<Record<string, string>> = {
  email: 'Email address',
  firstName: 'First name',
  lastName: 'Last name',
  phone: 'Phone',
}
const REFUSALS: Readonly<Record<string, string>> = {
  address_budget: 'The address had been asked often enough, or too many mails wait',
  blocked: 'The owner of the address wants no more mail of forms',
  challenge: 'Their browser did not do its unseen work',
  crowd: 'Too many from one network',
  honeypot: 'Filled in by a program',
  not_shown: 'Sent too soon, too late, or without looking at the form',
  origin: 'Sent from a site that is not allowed',
  suppressed: 'The address is on your suppression list',
  unsubscribed: 'The address has unsubscribed and must not be asked',
}

export const LANGUAGES = [
  { value: '', label: 'As the workspace' },
  ...READER_LANGUAGES.map((code) => ({ value: code, label: languages.of(code) ?? code })),
]

export const STATES: readonly Choice<Form['state']>[] = [
  { value: 'active', label: 'Open', description: 'People can sign up.' },
  { value: 'paused', label: 'Paused', description: 'Nobody can sign up, and its page says so.' },
]

export const CHALLENGES: readonly Choice<Form['challenge']>[] = [
  { value: 'adaptive', label: 'When needed', description: 'A moment that nobody notices; a few seconds in an attack.' },
  {
    value: 'always',
    label: 'Always',
    description: 'A few seconds each time, for a form that is attacked again and again.',
  },
  { value: 'off', label: 'Never', description: 'For a site whose own program fills in the form.' },
]

export function FormState({ state }: { state: Form['state'] }) {
  return state === 'active' ? (
    <StatusBadge tone="good">Open</StatusBadge>
  ) : (
    <StatusBadge tone="neutral">Paused</StatusBadge>
  )
}

export function refusalText(reason: string): string {
  return REFUSALS[reason] ?? reason
}

/** A field of a form by the name that the workspace has for it. */
export function fieldName(field: string, custom: readonly Pick<CustomField, 'key' | 'name'>[]): string {
  if (!field.startsWith(CUSTOM)) return OWN_FIELDS[field] ?? field
  const key = field.slice(CUSTOM.length)
  return custom.find((one) => one.key === key)?.name ?? key
}

/** Every field that a form may ask for. */
export function askableFields(custom: readonly Pick<CustomField, 'key' | 'name'>[]): string[] {
  return [...Object.keys(OWN_FIELDS), ...custom.map(({ key }) => CUSTOM + key)]
}
