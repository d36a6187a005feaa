import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import type { BroadcastContent } from '../queries.ts'
import type { Preflight } from './preflight-schemas.ts'

type Part = { id: string; name: string; part: 'segment' | 'excluded' | 'topic' }

/** Names of everything that an audience is made of, in the order in which it was put together. */
export async function nameAudience(
  tx: Transaction,
  workspaceId: string,
  { segmentIds, excludedSegmentIds, topicId }: BroadcastContent,
): Promise<Preflight['audience']> {
  const { rows } = await tx.query<Part>({
    name: 'names_of_audience',
    text: `select s.id, s.name, case when given.n <= $3 then 'segment' else 'excluded' end as part
      from unnest($2::int8[]) with ordinality as given(id, n) join segments s on s.workspace_id = $1 and s.id = given.id
      union all
      select t.id, t.name, 'topic' from topics t where t.workspace_id = $1 and t.id = $4 and t.deleted_at is null`,
    values: [workspaceId, int8Array([...segmentIds, ...excludedSegmentIds]), segmentIds.length, topicId],
  })
  const [topic = null] = rows.filter(({ part }) => part === 'topic')
  const named = (ids: readonly string[], part: Part['part']) =>
    ids.flatMap((id) => rows.filter((one) => one.part === part && one.id === id).map(nameOf))
  return {
    segments: named(segmentIds, 'segment'),
    excludedSegments: named(excludedSegmentIds, 'excluded'),
    topic: topic && nameOf(topic),
  }
}

const nameOf = ({ id, name }: Part) => ({ id, name })
