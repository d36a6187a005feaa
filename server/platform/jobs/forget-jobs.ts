import { textArray } from '../db/arrays.ts'
import type { Queryable } from '../db/transaction.ts'

/** Names that a job's payload may hold: fields, wherever in it they stand, and the values that are looked for in them. */
export type Named = { payload: Record<string, string>; fields: Readonly<Record<string, readonly string[]>> }

/**
 * Removes the jobs whose payload has all of `payload` and, at any depth, one of the values in one of the fields; looks at
 * the next ones behind a job. A job that runs is left alone: it ends by itself. Kept errors of the others are wiped where
 * they quote a value. Returns the last it has looked at, undefined at the end.
 */
export async function forgetJobs(
  db: Queryable,
  named: Named,
  { after, rows: limit }: { after: string; rows: number },
): Promise<string | undefined> {
  const [afterQueue = '', afterId = NO_ID] = after === '' ? [] : after.split(' ')
  // Without a name: planned with these values, PostgreSQL looks entries up in a hash of them, not in a list.
  const { rows } = await db.query<{ queue: string; id: string; names: boolean; quotes: boolean }>(
    `with stretch as materialized (
       select name, id, data, output::text as output, data @> $3::jsonb as theirs from jobs.job_common
       where (name, id) > ($1::text, $2::uuid) order by name, id limit $4
     )
     select name as queue, id, theirs and exists (
         select from jsonb_path_query(data, 'strict $.payload.** ? (@.type() == "object")') object, jsonb_each_text(object) entry
         where entry.key || ' ' || entry.value = any ($5::text[])) as names,
       theirs and output is not null and exists (
         select from unnest($6::text[]) value where strpos(output, value) > 0) as quotes
     from stretch order by name, id`,
    [
      ...[afterQueue, afterId, JSON.stringify({ payload: named.payload }), limit],
      textArray(Object.entries(named.fields).flatMap(([field, values]) => values.map((value) => `${field} ${value}`))),
      textArray(Object.values(named.fields).flat()),
    ],
  )
  const keysOf = (found: typeof rows) => [
    textArray(found.map(({ queue }) => queue)),
    textArray(found.map(({ id }) => id)),
  ]
  const isOne = '(name, id) in (select * from unnest($1::text[], $2::text[]::uuid[]))'
  const naming = rows.filter(({ names }) => names)
  if (naming.length > 0)
    await db.query(`delete from jobs.job_common where ${isOne} and state <> 'active'`, keysOf(naming))
  const quoting = rows.filter(({ quotes }) => quotes)
  if (quoting.length > 0) await db.query(`update jobs.job_common set output = null where ${isOne}`, keysOf(quoting))
  const last = rows.at(-1)
  return last && rows.length === limit ? `${last.queue} ${last.id}` : undefined
}

const NO_ID = '00000000-0000-0000-0000-000000000000'
