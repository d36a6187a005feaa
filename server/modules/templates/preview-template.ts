import { missingScope, unprocessable } from '../../catalogue/problems.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { isBeyondIds } from '../../platform/schema/schemas.ts'
import { masked } from '../../platform/untrusted-text.ts'
import type { Caller } from '../auth/caller.ts'
import type { TemplateSource } from './compile-template.ts'
import { busyIsOverloaded, requireSound, type TemplateDeps } from './manage-templates.ts'
import { mergePeople } from './merge-people.ts'
import { type MergeContact, mergeVariables } from './merge-variables.ts'
import { RenderError, renderTemplate } from './render-template.ts'
import { sampleContact } from './sample-contact.ts'
import type { TemplatePreview } from './schemas.ts'

type Person = { contactId?: string; masked?: boolean; variables?: Record<string, unknown> }

/** These links of a preview lead nowhere: nobody is to be unsubscribed by looking at it. */
const NOWHERE = { unsubscribeUrl: '#unsubscribe', preferencesUrl: '#preferences' }

/**
 * Renders a template as one person would get it: a contact (for callers who may read contacts), else a sample person who
 * has a value for each custom field. Throws 403, 422 for an unknown contact, a faulty template, or one that cannot be
 * rendered with these values, 503 when too many wait for that.
 */
export async function previewTemplate(
  deps: TemplateDeps,
  caller: Caller,
  { source, contactId, masked: isMasked = false, variables = {} }: { source: TemplateSource } & Person,
): Promise<TemplatePreview> {
  const { workspaceId } = caller
  if (contactId !== undefined && !caller.scopes.has('contacts:read')) throw missingScope('contacts:read')
  const [{ template, warnings }, sample, contact] = await Promise.all([
    requireSound(deps.compiled, source),
    sampleContact(deps.sql, workspaceId),
    contactId === undefined ? undefined : knownContact(deps, workspaceId, contactId),
  ])
  // A template can write a value in ways that no mask afterwards would know.
  const known = contact && (isMasked ? (masked(contact) as MergeContact) : contact)
  const person = known ?? sample
  const merged = mergeVariables(person, { ...NOWHERE, variables })
  const names = new Set([...Object.keys(merged), ...Object.keys(sample.customFields)])
  try {
    return {
      ...(await renderTemplate(template, merged)),
      variables: [...template.variables],
      unknownVariables: template.variables.filter((name) => !names.has(name)),
      warnings: warnings.map(({ field, line, detail }) => ({ pointer: `/${field}`, line, detail })),
    }
  } catch (error) {
    if (!(error instanceof RenderError)) return busyIsOverloaded(error)
    throw unprocessable([{ pointer: `/${error.field}`, detail: error.detail }])
  }
}

async function knownContact({ sql }: TemplateDeps, workspaceId: string, id: string): Promise<MergeContact> {
  const ids = isBeyondIds(id) ? [] : [id]
  const [contact] = await inTransaction(sql, workspaceId, (tx) => mergePeople(tx, workspaceId, ids))
  if (!contact) throw unprocessable([{ pointer: '/contactId', detail: 'is no contact of this workspace' }])
  return contact
}
