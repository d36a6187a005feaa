import { notFound, unprocessable, wrongStatus } from '../../../catalogue/problems.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { requireMatch } from '../../../platform/etag.ts'
import { parseExactJson } from '../../../platform/json/exact-json.ts'
import { automationOf } from './automation-of.ts'
import { canonicalJson } from './canonical-json.ts'
import { checkReferences } from './check-references.ts'
import type { Definition } from './definition.ts'
import type { Written } from './diff-definitions.ts'
import { withTemplateVersions } from './publish-version.ts'
import { type AutomationKey, automationByIdStatement } from './queries.ts'
import { readDefinition } from './read-definition.ts'

/** A draft as it would be published, beside the version in force. */
export type DraftToPublish = {
  name: string
  draft: Definition
  after: Written
  before: Written | undefined
  publishedVersion: number | null
  isPaused: boolean
  /** Whether there would be a new version. */
  isNew: boolean
  /** Canonical JSON of what would be in force then, templates' versions included. */
  text: string
}

/** `given` is canonical JSON that is looked at in place of the draft, as if it had been saved. */
export type DraftKey = AutomationKey & { ifMatch?: string | undefined; given?: string | undefined }

/** Throws 404, 412 when `ifMatch` names an older state, 409 for an automation that is stopped, 422 for a draft that holds no longer. */
export async function draftToPublish(tx: Transaction, { ifMatch, given, ...key }: DraftKey): Promise<DraftToPublish> {
  const { rows } = await tx.query(automationByIdStatement(key))
  const [row] = rows
  if (!row) throw notFound()
  requireMatch(ifMatch, automationOf(row))
  if (row.status === 'stopped') throw wrongStatus('It is stopped; nothing is published any more.')
  const text = given ?? row.draft
  const { definition: draft, faults: ofForm } = readDefinition(parseExactJson(text))
  if (given !== undefined && ofForm.length > 0) throw unprocessable(ofForm)
  const { faults } = await checkReferences(tx, key.workspaceId, draft)
  if (faults.length > 0) throw unprocessable(faults)
  const asPublished = await withTemplateVersions(tx, key.workspaceId, text)
  const after = parseExactJson(asPublished) as Written
  const { publishedVersion, draftChanged } = row
  const version = publishedVersion === null ? undefined : await versionInForce(tx, key, publishedVersion)
  // As it was written: what it leaves open, such as a template's version, makes no new one.
  const isOther =
    given === undefined
      ? draftChanged
      : version === undefined || canonicalJson(parseExactJson(given)) !== version.written
  const before = version && (parseExactJson(version.definition) as Written)
  const isNew = isOther || version === undefined
  const isPaused = row.pausedAt !== null
  return {
    name: row.name,
    draft,
    after,
    before,
    publishedVersion,
    isPaused,
    isNew,
    text: isNew ? asPublished : version.definition,
  }
}

/** Canonical JSON of the version in force, templates' versions included; undefined before anything was published. */
export async function definitionInForce(tx: Transaction, key: AutomationKey): Promise<string | undefined> {
  const { rows } = await tx.query(automationByIdStatement(key))
  const version = rows[0]?.publishedVersion ?? null
  return version === null ? undefined : (await versionInForce(tx, key, version))?.definition
}

async function versionInForce(
  tx: Transaction,
  { workspaceId, id }: AutomationKey,
  version: number,
): Promise<{ definition: string; written: string } | undefined> {
  const { rows } = await tx.query<{ definition: string; written: string }>({
    name: 'written_automation_version',
    text: `select definition, written from automation_versions
      where workspace_id = $1 and automation_id = $2 and version = $3`,
    values: [workspaceId, id, version],
  })
  return rows[0]
}
