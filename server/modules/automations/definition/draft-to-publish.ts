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
  draft: Definition
  after: Written
  before: Written | undefined
  publishedVersion: number | null
  /** Whether there would be a new version. */
  isNew: boolean
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
  const after = parseExactJson(await withTemplateVersions(tx, key.workspaceId, text)) as Written
  const { publishedVersion, draftChanged } = row
  const before = publishedVersion === null ? undefined : await writtenVersion(tx, key, publishedVersion)
  const isOther =
    given === undefined ? draftChanged : before === undefined || canonicalJson(after) !== canonicalJson(before)
  return { draft, after, before, publishedVersion, isNew: isOther || publishedVersion === null }
}

async function writtenVersion(
  tx: Transaction,
  { workspaceId, id }: AutomationKey,
  version: number,
): Promise<Written | undefined> {
  const { rows } = await tx.query<{ definition: string }>({
    name: 'written_automation_version',
    text: `select definition from automation_versions
      where workspace_id = $1 and automation_id = $2 and version = $3`,
    values: [workspaceId, id, version],
  })
  return rows[0] && (parseExactJson(rows[0].definition) as Written)
}
