import { invalid, unprocessable } from '../../catalogue/problems.ts'
import { CONTROL_CHARACTER } from '../../platform/control-characters.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { FieldError } from '../../platform/problem.ts'
import { checkTags } from '../contacts/give-tags.ts'
import { fieldsNamed } from '../custom-fields/fields-named.ts'
import { holdFields } from '../custom-fields/hold-fields.ts'
import { readAllowedOrigin } from '../trackers/allowed-origins.ts'
import { FIELD_CHARS_MAX, type FormContent, type FormField, type FormFieldBody } from './schemas.ts'

/** The prefix of fields that the workspace has made itself. */
export const CUSTOM = 'custom:'

const EMAIL_FIELD: FormField = { field: 'email', label: null, required: true, maxLength: FIELD_CHARS_MAX }

/** A form as it is before anything is said about it. */
export const PLAIN_CONTENT: Omit<FormContent, 'name' | 'consentWording'> = {
  state: 'active',
  fields: [EMAIL_FIELD],
  tags: [],
  allowedOrigins: [],
  successUrl: null,
  confirmedUrl: null,
  challenge: 'adaptive',
  locale: null,
}

type GivenContent = Omit<FormContent, 'fields'> & { fields: readonly FormFieldBody[] }

/** A given content as it is stored. Throws 400 for what is none, and 422 for custom fields that there are not. */
export async function readContent(tx: Transaction, workspaceId: string, given: GivenContent): Promise<FormContent> {
  const { tags, errors } = checkTags(given.tags)
  const { origins, errors: originErrors } = readOrigins(given.allowedOrigins)
  const texts = [
    ...textFaults('/name', given.name),
    ...textFaults('/consentWording', given.consentWording.replaceAll(/[\r\n\t]/g, ' ')),
    ...urlFaults('/successUrl', given.successUrl),
    ...urlFaults('/confirmedUrl', given.confirmedUrl),
  ]
  const fields = readFields(given.fields)
  const faults = [...texts, ...errors, ...originErrors, ...fields.errors]
  if (faults.length > 0) throw invalid(faults)
  const known = await knownFields(tx, workspaceId, fields.fields)
  return {
    ...given,
    name: given.name.trim(),
    consentWording: given.consentWording.trim(),
    fields: known,
    tags: [...new Map(tags.map((tag) => [tag.toLowerCase(), tag])).values()],
    allowedOrigins: origins,
  }
}

function readOrigins(given: readonly string[]): { origins: string[]; errors: FieldError[] } {
  const read = given.map(readAllowedOrigin)
  const detail = 'must be an origin, such as https://shop.example or https://*.shop.example'
  return {
    origins: [...new Set(read.filter((origin) => origin !== undefined))],
    errors: read.flatMap((origin, n) => (origin === undefined ? [{ pointer: `/allowedOrigins/${n}`, detail }] : [])),
  }
}

function textFaults(pointer: string, text: string): FieldError[] {
  if (text.trim() === '') return [{ pointer, detail: 'must not be blank' }]
  return CONTROL_CHARACTER.test(text) ? [{ pointer, detail: 'must not contain control characters' }] : []
}

/** It is led to as it is, and nothing is added: what was filled in stays here. */
function urlFaults(pointer: string, url: string | null): FieldError[] {
  if (url === null) return []
  const parsed = URL.parse(url)
  const isPlain = parsed?.protocol === 'https:' && parsed.username === '' && parsed.password === ''
  return isPlain ? [] : [{ pointer, detail: 'must be an https address without a user' }]
}

function readFields(given: readonly FormFieldBody[]): { fields: FormField[]; errors: FieldError[] } {
  const seen = new Set<string>()
  const errors: FieldError[] = []
  const fields = given.map(({ field, label = null, required = false, maxLength = FIELD_CHARS_MAX }, n) => {
    if (seen.has(field)) errors.push({ pointer: `/fields/${n}/field`, detail: 'is there twice' })
    seen.add(field)
    if (CONTROL_CHARACTER.test(field)) {
      errors.push({ pointer: `/fields/${n}/field`, detail: 'must not contain control characters' })
    }
    if (label !== null) errors.push(...textFaults(`/fields/${n}/label`, label))
    return { field, label: label?.trim() ?? null, required: required || field === 'email', maxLength }
  })
  return { fields: seen.has('email') ? fields : [EMAIL_FIELD, ...fields], errors }
}

/**
 * A form makes no custom fields: what anybody may fill in decides nothing about the workspace. None of those it has is changed or deleted
 * until the transaction ends. Answers them by the keys that they have: one that they had before may become another's.
 */
async function knownFields(tx: Transaction, workspaceId: string, fields: FormField[]): Promise<FormField[]> {
  const keys = customKeys(fields)
  if (keys.length === 0) return fields
  await holdFields(tx, workspaceId)
  const rules = await fieldsNamed(tx, workspaceId, keys)
  const isKnown = (key: string) => rules.get(key)?.deleting === false
  const errors = fields.flatMap(({ field }, n) =>
    field.startsWith(CUSTOM) && !isKnown(field.slice(CUSTOM.length))
      ? [{ pointer: `/fields/${n}/field`, detail: 'there is no such custom field' }]
      : [],
  )
  if (errors.length > 0) throw unprocessable(errors)
  const present = fields.map((one) => ({ ...one, field: presentName(one.field, rules) }))
  const twice = present.flatMap(({ field }, n) =>
    present.findIndex((other) => other.field === field) < n
      ? [{ pointer: `/fields/${n}/field`, detail: 'is there twice' }]
      : [],
  )
  if (twice.length > 0) throw invalid(twice)
  return present
}

function presentName(field: string, rules: Awaited<ReturnType<typeof fieldsNamed>>): string {
  return field.startsWith(CUSTOM) ? CUSTOM + rules.get(field.slice(CUSTOM.length))!.key : field
}

export function customKeys(fields: readonly FormField[]): string[] {
  return fields.flatMap(({ field }) => (field.startsWith(CUSTOM) ? [field.slice(CUSTOM.length)] : []))
}
