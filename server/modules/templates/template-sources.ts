import type { Queryable } from '../../platform/db/transaction.ts'
import type { TemplateSource } from './compile-template.ts'
import { currentVersions, sourcesOf } from './queries.ts'

/** A version of a template, which never changes. */
export type TemplateRef = { id: string; version: number }

/** The versions in force of those of the templates that the workspace has, by id. */
export async function templateVersions(
  tx: Queryable,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await currentVersions(tx, workspaceId, { ids, keys: [] })
  return new Map(rows.map(({ id, version }) => [id, version]))
}

export type NamedTemplates = {
  ofId(id: string): TemplateRef | undefined
  ofKey(key: string | null): TemplateRef | undefined
}

/** The same by ids and keys. */
export async function templatesNamed(
  tx: Queryable,
  workspaceId: string,
  { ids, keys }: { ids: readonly string[]; keys: readonly string[] },
): Promise<NamedTemplates> {
  const rows = ids.length + keys.length === 0 ? [] : await currentVersions(tx, workspaceId, { ids, keys })
  const refs = rows.map(({ key, ...ref }) => ({ key, ref }))
  return {
    ofId: (id) => refs.find(({ ref }) => ref.id === id)?.ref,
    ofKey: (key) => (key === null ? undefined : refs.find((one) => one.key === key)?.ref),
  }
}

export const refKey = ({ id, version }: TemplateRef): string => `${id}/${version}`

/** Sources of these versions, by `refKey`; also of templates that were deleted since. */
export async function templateSources(
  tx: Queryable,
  workspaceId: string,
  refs: readonly TemplateRef[],
): Promise<Map<string, TemplateSource>> {
  if (refs.length === 0) return new Map()
  const rows = await sourcesOf(tx, workspaceId, refs)
  return new Map(rows.map(({ id, version, ...source }) => [refKey({ id, version }), source]))
}
