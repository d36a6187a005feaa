import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { inTransaction } from '../../platform/db/transaction.ts'
import { UNNAMED } from '../workspaces/unnamed.ts'
import { type SampleOwner, sampleOf } from './sample-of.ts'
import { SAMPLES } from './samples.ts'

/** The samples as a workspace begins with them: under its own name, in its own colour. */
export async function readSamples(sql: pg.Pool, workspaceId: string) {
  const owner = await inTransaction(sql, workspaceId, async (tx) => {
    const { rows } = await tx.query<SampleOwner>({
      name: 'owner_of_samples',
      text: `select nullif(name, $2) as name, color from workspaces where id = $1`,
      values: [workspaceId, UNNAMED],
    })
    return rows[0]
  })
  return samplesFor(owner ?? { name: null, color: null })
}

/** The samples of somebody. */
export async function samplesFor(owner: SampleOwner) {
  return Promise.all(
    SAMPLES.map(async (sample) => {
      const body = await readFile(new URL(`./samples/${sample.key}.mjml`, import.meta.url), 'utf8')
      return sampleOf({ ...sample, body }, owner)
    }),
  )
}
