import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { enqueueAll } from '../../../platform/jobs/enqueue.ts'
import { parseExactJson } from '../../../platform/json/exact-json.ts'
import { setStreamPriority } from '../../sending/streams.ts'
import { templateVersions } from '../../templates/template-sources.ts'
import { RUN_SLOTS } from '../entry/slots.ts'
import { WATCH_SEGMENT } from '../entry/watch-segment.ts'
import { canonicalJson } from './canonical-json.ts'
import { asks } from './definition.ts'
import { type Listen, listensOf } from './listens.ts'
import type { AutomationKey, AutomationRow } from './queries.ts'
import { storedDefinition } from './read-definition.ts'
import { writeSweeps } from './sweeps.ts'
import { watchedSegments, watchSegments } from './watched-segments.ts'

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

/** Nothing that happens concerns an automation any more whose people all leave. */
export async function dropListens(tx: Transaction, { workspaceId, id }: AutomationKey): Promise<void> {
  await tx.query({
    name: 'drop_automation_listens',
    text: 'delete from automation_listens where workspace_id = $1 and automation_id = $2',
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

type VersionKey = AutomationKey & { version: number }

/** Only the version in force brings people in; what concerns those inside holds for every version. */
async function writeListens(tx: Transaction, key: VersionKey, listens: readonly Listen[]): Promise<void> {
  await tx.query({
    name: 'drop_entry_listens',
    text: `delete from automation_listens where workspace_id = $1 and automation_id = $2 and kind = 'entry'`,
    values: [key.workspaceId, key.id],
  })
  await tx.query({
    name: 'write_automation_listens',
    text: `insert into automation_listens (workspace_id, name, automation_id, version, kind, node, way, match, filtered)
      select $1, name, $2, $3, kind, node, way, match::jsonb, filtered::boolean
      from unnest($4::text[], $5::text[], $6::text[], $7::int8[], $8::text[], $9::text[])
        as l(name, kind, node, way, match, filtered)`,
    values: [
      ...[key.workspaceId, key.id, key.version],
      textArray(listens.map(({ name }) => name)),
      textArray(listens.map(({ kind }) => kind)),
      textArray(listens.map(({ node }) => node)),
      int8Array(listens.map(({ way }) => String(way))),
      textArray(listens.map(({ match }) => (match === null ? null : JSON.stringify(match)))),
      textArray(listens.map(({ filtered }) => String(filtered))),
    ],
  })
}
