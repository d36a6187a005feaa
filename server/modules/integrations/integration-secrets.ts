import { invalid, unprocessable } from '../../catalogue/problems.ts'
import { PROVIDER, type Provider } from '../../catalogue/providers.ts'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import type { FieldError } from '../../platform/problem.ts'
import { leadsElsewhere, type Settings } from './integration-settings.ts'
import type { ConfigChange } from './schemas.ts'

export const SECRET_FIELDS = ['password', 'accessKeyId', 'secretAccessKey'] as const
export type SecretField = (typeof SECRET_FIELDS)[number]

/** Sealed, as the row keeps them; null where there is none. */
export type SealedSecrets = Record<SecretField, string | null>

/** In clear; null where there is none. */
export type OpenedSecrets = Record<SecretField, string | null>

export const NO_SECRETS: SealedSecrets = { password: null, accessKeyId: null, secretAccessKey: null }

/** A change of each secret: absent = it stays. */
export type SecretChange = Partial<Record<SecretField, string | null>>

const COLUMN: Record<SecretField, string> = {
  password: 'password',
  accessKeyId: 'access_key_id',
  secretAccessKey: 'secret_access_key',
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: SMTP ends a command at them, and SASL PLAIN a field.
const BREAKS_A_COMMAND = /[\u0000\r\n]/
/** It stands in a header between commas and slashes. */
const ACCESS_KEY_ID = /^[A-Za-z0-9_+=.@-]{4,128}$/
const SECRET_ACCESS_KEY = /^[\x21-\x7e]{4,256}$/

/** The row that a sealed secret is bound to. */
function secretRow(workspaceId: string, id: string, field: SecretField): string {
  return `${workspaceId}/integrations/${id}/${COLUMN[field]}`
}

export type IntegrationKey = { workspaceId: string; id: string }

/** The secrets after a change, sealed; what it leaves alone stays as it was sealed. */
export function sealSecrets(
  box: SecretBox,
  key: IntegrationKey,
  { change, stored }: { change: SecretChange; stored: SealedSecrets },
): SealedSecrets {
  const sealed: SealedSecrets = { ...NO_SECRETS }
  for (const field of SECRET_FIELDS) {
    const secret = change[field]
    if (secret === undefined) sealed[field] = stored[field]
    else if (secret !== null) sealed[field] = box.seal(secret, secretRow(key.workspaceId, key.id, field))
  }
  return sealed
}

/** The secrets in clear, for who is about to use them. */
export function openSecrets(box: SecretBox, key: IntegrationKey, sealed: SealedSecrets): OpenedSecrets {
  const open = (field: SecretField) =>
    sealed[field] === null ? null : box.open(sealed[field], secretRow(key.workspaceId, key.id, field))
  return { password: open('password'), accessKeyId: open('accessKeyId'), secretAccessKey: open('secretAccessKey') }
}

/**
 * The secrets a body changes. A blank or absent one stays as it is, null clears a password, and with another kind
 * everything is new. A stored secret stays only with the server it was given for: whoever may change an integration
 * shall not get to read its password by pointing it at a server of theirs. Throws 400 for what no secret is or is
 * missing, 422 where one has to be given again.
 */
export function readSecrets(
  config: ConfigChange,
  after: Settings,
  before?: { settings: Settings; stored: SealedSecrets },
): SecretChange {
  const change = givenSecrets(config)
  if (before && before.settings.kind !== after.kind) {
    for (const field of SECRET_FIELDS) change[field] ??= null
  }
  // Without a username nobody logs in.
  if (after.kind === 'smtp' && after.username === null) change.password = null
  const left = secretsOf(after.kind).filter((field) => typeof change[field] !== 'string')
  const stay = left.filter((field) => change[field] === undefined && before?.stored[field])
  const missing = left.filter((field) => field !== 'password' && !stay.includes(field))
  if (missing.length > 0) throw invalid(faults(missing, 'is required'))
  const moved = before !== undefined && leadsElsewhere(before.settings, after)
  if (moved && stay.length > 0) throw unprocessable(faults(stay, 'must be given again for another server'))
  return change
}

/** Secrets that a kind has; a key pair is needed, a password is not. */
const secretsOf = (kind: Provider): readonly (typeof SECRET_FIELDS)[number][] => PROVIDER[kind].secrets

function givenSecrets(config: ConfigChange): SecretChange {
  const change: SecretChange = {}
  const errors: FieldError[] = []
  for (const field of SECRET_FIELDS) {
    const given = config[field]
    if (given === undefined || given === '' || (given === null && field !== 'password')) continue
    const fault = given === null ? undefined : secretFault(field, given)
    if (fault) errors.push(...faults([field], fault))
    change[field] = given
  }
  if (errors.length > 0) throw invalid(errors)
  return change
}

function faults(fields: readonly SecretField[], detail: string): FieldError[] {
  return fields.map((field) => ({ pointer: `/config/${field}`, detail }))
}

function secretFault(field: SecretField, secret: string): string | undefined {
  if (field === 'password') return BREAKS_A_COMMAND.test(secret) ? 'must not contain line breaks' : undefined
  const pattern = field === 'accessKeyId' ? ACCESS_KEY_ID : SECRET_ACCESS_KEY
  return pattern.test(secret) ? undefined : 'must be a key of 4 or more visible characters'
}
