import type { Said } from './doer.ts'
import type { CrowdWorld } from './world.ts'

const HAS_BODY = new Set([200, 201])

/**
 * Faults of files of exports: each person once, everybody who was there before it was asked for and is there still, and nobody who was erased
 * by then.
 */
export async function judgeExports({ instance, exported }: CrowdWorld, said: readonly Said[]): Promise<string[]> {
  const faults: string[] = []
  for (const [id, text] of exported) {
    const ids = text
      .trimEnd()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => line.split(',', 1)[0]!)
    const there = new Set(ids)
    if (there.size !== ids.length) faults.push(`export ${id} has ${ids.length - there.size} people twice`)
    const began = said.find((one) => one.act === 'export' && one.status === 202 && JSON.parse(one.text).id === id)!
    const known = said.filter(
      ({ act, status, endedAt }) => /^(create|upsert)$/.test(act) && HAS_BODY.has(status) && endedAt < began.beganAt,
    )
    const missing = await instance.sql<{ id: string }>(
      `select c.id from contacts c join exports e on e.id = $1
       where e.filter::text = '{}' and not c.id = any ($2::int8[]) and (c.subject_id like 'steady-%' or c.id = any ($3::int8[]))`,
      [id, ids, known.map(({ text: contact }) => JSON.parse(contact).id)],
    )
    if (missing.length > 0) faults.push(`export ${id} lacks ${missing.map((one) => one.id).join(', ')}`)
    const erased = said.filter(({ act, status, endedAt }) => act === 'erase' && status < 300 && endedAt < began.beganAt)
    for (const { path } of erased) {
      const gone = path.split('/').at(-1)!
      if (there.has(gone)) faults.push(`export ${id} has ${gone}, who was erased before`)
    }
  }
  return faults
}
