import type { Queryable } from '../db/transaction.ts'

/** Names that a job's payload may hold: fields, wherever in it they stand, and the values that are looked for in them. */
export type Named = { payload: Record<string, string>; fields: Readonly<Record<string, readonly string[]>> }

/**
 * Removes the jobs whose payload has all of `payload` and, at any depth, one of the values in one of the fields; returns
 * how many. A job that runs is left alone: it ends by itself. Kept errors of the others are wiped where they quote a value.
 */
export async function forgetJobs(db: Queryable, named: Named): Promise<number> {
  const fields = Object.keys(named.fields).filter((field) => named.fields[field]!.length > 0)
  if (fields.length === 0) return 0
  const anywhere = fields.map((field) => `@.${JSON.stringify(field)} == $${JSON.stringify(field)}[*]`).join(' || ')
  const values = [JSON.stringify({ payload: named.payload }), `strict $.payload.** ? (${anywhere})`]
  const { rowCount } = await db.query(
    `delete from jobs.job_common where state <> 'active' and data @> $1::jsonb
       and jsonb_path_exists(data, $2::jsonpath, $3::jsonb, true)`,
    [...values, JSON.stringify(named.fields)],
  )
  await db.query(
    `update jobs.job_common set output = null where data @> $1::jsonb and output is not null
       and exists (select from unnest($2::text[]) as value where strpos(output::text, value) > 0)`,
    [values[0], fields.flatMap((field) => named.fields[field]!)],
  )
  return rowCount ?? 0
}
