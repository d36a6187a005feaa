import { decodeWords } from 'postal-mime'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { writtenBytes } from '../../platform/json/written-bytes.ts'
import { onlyValue } from '../../platform/mail/kept-mail.ts'
import type { SplitMail } from '../../platform/mail/split-mail.ts'
import { Problem } from '../../platform/problem.ts'

/** A template that a mail asks to be made from, by id or key, in the place of its own content. */
export type TemplateUse = {
  template: { id: string } | { key: string }
  /** JSON. */
  variables: string | null
  trackOpens: boolean
  trackClicks: boolean
}

export const TEMPLATE_FIELDS = ['x-postroom-template', 'x-postroom-variables', 'x-postroom-track'] as const
const [TEMPLATE, VARIABLES, TRACK] = TEMPLATE_FIELDS
const ID = /^[0-9]{1,18}$/
const KEY = /^[a-z0-9_.-]{1,100}$/
const VARIABLES_BYTES_MAX = 64 * 1024
const TRACKED = new Set(['opens', 'clicks'])

/** Null for a mail that goes out as it is. The fault is a sentence for its sender. */
export function readTemplateUse(split: SplitMail): TemplateUse | null | { fault: string } {
  const [name, given, track] = TEMPLATE_FIELDS.map((field) => onlyValue(split, field))
  if (name === null) {
    const alone = given !== null ? VARIABLES : track !== null ? TRACK : undefined
    return alone === undefined ? null : { fault: `${alone} needs ${TEMPLATE}: without one the mail goes out as it is.` }
  }
  if (name === undefined || !KEY.test(name)) return { fault: `${TEMPLATE} has to be one id or key of a template.` }
  const variables = given === null ? null : decodeWords(given ?? '')
  if (variables !== null && !isObject(variables)) {
    return { fault: `${VARIABLES} has to be one JSON object of up to ${VARIABLES_BYTES_MAX / 1024} KiB.` }
  }
  const tracked =
    track === null
      ? []
      : (track ?? '')
          .toLowerCase()
          .split(',')
          .map((word) => word.trim())
  if (tracked.some((word) => !TRACKED.has(word))) return { fault: `${TRACK} has to be opens, clicks or both.` }
  return {
    template: ID.test(name) ? { id: name } : { key: name },
    variables,
    trackOpens: tracked.includes('opens'),
    trackClicks: tracked.includes('clicks'),
  }
}

/** As bodies of the API are read, and these variables again when the mail is made: what fails there is refused here. */
function isObject(text: string): boolean {
  if (writtenBytes(text) > VARIABLES_BYTES_MAX || text.includes('\0')) return false
  try {
    const value = parseExactJson(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}
