import { textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { enqueueAll } from '../../../platform/jobs/enqueue.ts'
import { parseExactJson } from '../../../platform/json/exact-json.ts'
import { setStreamPriority } from '../../sending/streams.ts'
import { templateVersions } from '../../templates/template-sources.ts'
import { RUN_SLOTS } from '../entry/slots.ts'
import { WATCH_SEGMENT } from '../entry/watch-segment.ts'
import { canonicalJson } from './canonical-json.ts'
import { asks } from './definition.ts'
import { listensOf } from './listens.ts'
import type { AutomationKey, AutomationRow } from './queries.ts'
import { storedDefinition } from './read-definition.ts'
import { writeSweeps } from './sweeps.ts'
import { watchedSegments, watchSegments } from './watched-segments.ts'
import { writeListens } from './write-listens.ts'

/**
 * Makes the draft the version in force: its templates' versions are fixed, what it listens to is written down, its lanes are
 * there. Those inside stay in the version they came in by. Answers its number.
 */
export async function publishVersion(tx: Transaction, key: AutomationKey, row: AutomationRow): Promise<number> {
  const definition = await withTemplateVersions(tx, key.workspaceId, row.draft)
  const { rows } = await tx.query<{ version: number }>({
    name: 'publish_automation_version',
    text: `insert into automation_versions (workspace_id, automation_id, version, definition, written, segment_ids)
      select $1, $2, coalesce(max(version), 0) + 1, $3, $4, $5::text[]::bigint[] from automation_versions
      where workspace_id = $1 and automation_id = $2 returning version`,
    values: [key.workspaceId, key.id, definition, row.draft, textArray(row.segmentIds)],
  })
  const { version } = rows[0]!
  const stored = storedDefinition(definition)
  await writeListens(tx, { ...key, version }, listensOf(stored))
  const { priority } = stored
  await setStreamPriority(tx, { workspaceId: key.workspaceId, source: { kind: 'automation', id: key.id }, priority })
  await writeSweeps(tx, key, stored)
  if (Object.values(stored.nodes).some(asks)) await writeWaits(tx, key)
  const watched = watchedSegments(stored).map(({ id }) => id)
  await watchSegments(tx, key.workspaceId, watched)
  const looks = watched.map((segmentId) => ({ payload: { workspaceId: key.workspaceId, segmentId } }))
  if (looks.length > 0) await enqueueAll(tx, WATCH_SEGMENT, looks)
  await tx.query({
    name: 'make_automation_lanes',
    text: `insert into automation_lanes (workspace_id, automation_id, slot)
      select $1, $2, slot from generate_series(0, ${RUN_SLOTS - 1}) slot on conflict do nothing`,
    values: [key.workspaceId, key.id],
  })
  return version
}

/** From now on those who wait for what no event tells are asked. */
async function writeWaits(tx: Transaction, { workspaceId, id }: AutomationKey): Promise<void> {
  await tx.query({
    name: 'write_automation_waits',
    text: `insert into automation_waits (workspace_id, automation_id) values ($1, $2)
      on conflict (workspace_id, automation_id) do update set next_check_at = now()`,
    values: [workspaceId, id],
  })
}

/** A draft may leave a template's version open: the one in force now. */
export async function withTemplateVersions(tx: Transaction, workspaceId: string, draft: string): Promise<string> {
  const value = parseExactJson(draft) as {
    nodes?: Record<string, { template?: { id: string; version?: number | null } }>
  }
  const open = Object.values(value.nodes ?? {}).flatMap(({ template }) =>
    template && (template.version === undefined || template.version === null) ? [template] : [],
  )
  const current = await templateVersions(
    tx,
    workspaceId,
    open.map(({ id }) => id),
  )
  for (const template of open) template.version = current.get(BigInt(template.id).toString()) ?? null
  return canonicalJson(value)
}
