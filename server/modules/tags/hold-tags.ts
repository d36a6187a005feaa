import { unprocessable } from '../../catalogue/problems.ts'
import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { FieldError } from '../../platform/problem.ts'

/**
 * A writer of what names tags (a form, a segment, an automation) holds them as they are until the transaction ends, with others who do,
 * behind the custom fields if it holds those as well. A rename or a deletion of a tag waits for them and holds them up: it finds whatever
 * names its tag. Answers the names that meant a tag when this began and mean none now, for somebody has renamed or deleted it meanwhile.
 * A name that meant none may be that of a tag to come.
 */
export async function holdTags(tx: Transaction, workspaceId: string, names: readonly string[]): Promise<string[]> {
  // Sent together, in this order.
  const [before, , now] = await Promise.all([
    namesThere(tx, workspaceId, names),
    tx.query({
      name: 'hold_tags',
      text: `select pg_advisory_xact_lock_shared(hashtextextended('tags', $1))`,
      values: [workspaceId],
    }),
    namesThere(tx, workspaceId, names),
  ])
  const there = new Set(now)
  return before.filter((name) => !there.has(name))
}

/** A rename or a deletion of a tag takes this before anything else. */
export async function holdTagsAlone(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.query({
    name: 'hold_tags_alone',
    text: `select pg_advisory_xact_lock(hashtextextended('tags', $1))`,
    values: [workspaceId],
  })
}

/** Faults for the names that `holdTags` answers. */
export function goneTagFaults(gone: readonly string[], pointer: string): FieldError[] {
  return gone.map((name) => ({ pointer, detail: `names the tag “${name}”, which was renamed or deleted just now` }))
}

/** Holds the tag that a work is about the people of until it is noted, so that the work follows it. Throws 422 when it has just gone. */
export async function holdTagOfFilter(
  tx: Transaction,
  workspaceId: string,
  { tag }: { tag?: string | undefined },
): Promise<void> {
  if (tag === undefined) return
  const faults = goneTagFaults(await holdTags(tx, workspaceId, [tag.trim()]), '/filter/tag')
  if (faults.length > 0) throw unprocessable(faults)
}

/** Those of the names, whatever their letters' case, that are names of tags. */
async function namesThere(tx: Transaction, workspaceId: string, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return []
  const { rows } = await tx.query<{ name: string }>({
    name: 'names_of_tags_there',
    // Folded first, as in `tagsNamed`: that is what an index is looked up by.
    text: `select given.name from (
        select distinct name, lower(name) as folded from unnest($2::text[]) as name offset 0) given
      join tags t on t.workspace_id = $1 and t.folded_name = given.folded
      order by given.name`,
    values: [workspaceId, textArray(names)],
  })
  return rows.map(({ name }) => name)
}
