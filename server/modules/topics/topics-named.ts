import type { Queryable } from '../../platform/db/transaction.ts'
import { TOPICS_MAX } from './topic-queries.ts'

/** Topics of a workspace by their names as people write them: `nameKey`. */
export type TopicsByName = ReadonlyMap<string, { id: string; name: string }>

/** Topics with names that differ in capitals alone are told apart by nobody: the older one counts. */
export async function topicsByName(tx: Queryable, workspaceId: string): Promise<TopicsByName> {
  const { rows } = await tx.query<{ id: string; name: string }>({
    name: 'topics_by_name',
    text: 'select id, name from topics where workspace_id = $1 and deleted_at is null order by id desc limit $2',
    values: [workspaceId, TOPICS_MAX],
  })
  return new Map(rows.map((topic) => [nameKey(topic.name), topic]))
}

export function nameKey(name: string): string {
  return name.trim().toLowerCase()
}
