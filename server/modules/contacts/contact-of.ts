import { parseExactJson } from '../../platform/json/exact-json.ts'
import type { ContactRow, ShownRow } from './queries.ts'
import type { Contact, ContactFacts, ShownContact } from './schemas.ts'

/** The contact by itself. */
export function contactOf(row: ContactRow): Contact {
  return { ...row, customFields: parseExactJson(row.customFields) as Record<string, unknown> }
}

/** The contact as every surface answers it. */
export function shownContactOf({ facts, ...row }: ShownRow): ShownContact {
  return { ...contactOf(row), ...(JSON.parse(facts) as ContactFacts) }
}

/** The part of an answered contact that its entity tag stands for: `contactOf` of the same row. */
export function versionOf(contact: ShownContact): Contact {
  const {
    tags: _tags,
    consent: _consent,
    topics: _topics,
    unsubscribedFrom: _sources,
    isUnproven: _unproven,
    suppression: _,
    ...version
  } = contact
  return version
}
