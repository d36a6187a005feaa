import { withoutLiquid } from './as-liquid.ts'

const TAG = /\*\|([A-Z0-9_:]{1,60})\|\*/g

/** Merge tags of Mailchimp and what we call them. */
const NAMES: Readonly<Record<string, string>> = {
  FNAME: '{{ first_name }}',
  LNAME: '{{ last_name }}',
  EMAIL: '{{ email }}',
  UNSUB: '{{ unsubscribe_url }}',
  UPDATE_PROFILE: '{{ preferences_url }}',
}

/** Text with merge tags as text with Liquid. Tags that have no counterpart stay as they are, and are named. `fields` has more. */
export function fromMergeTags(
  text: string,
  fields: Readonly<Record<string, string>> = {},
): { text: string; unknown: string[] } {
  const unknown: string[] = []
  const masked = withoutLiquid(text)
  const converted = masked.replaceAll(TAG, (tag, name: string) => {
    const ours = NAMES[name] ?? (Object.hasOwn(fields, name) ? `{{ ${fields[name]} }}` : undefined)
    if (ours === undefined) unknown.push(tag)
    return ours ?? tag
  })
  return { text: converted, unknown }
}
