import { type Answer, send } from '../support/http-client.ts'
import { type CrowdWorld, NOISE, STAY, VIEW } from './world.ts'

const PAGE = 'pageSize=1000'

/** Faults of what people are shown: numbers beside the things that they count. */
export async function judgeShown({ instance, recorded, viewed, made }: CrowdWorld): Promise<string[]> {
  const faults: string[] = []
  const get = (path: string): Promise<Answer> =>
    send('GET', `${instance.baseUrl}/api${path}`, { token: instance.token })
  const hold = (what: string, shown: unknown, is: unknown) => {
    if (JSON.stringify(shown) !== JSON.stringify(is))
      faults.push(`shown wrongly: ${what}: ${JSON.stringify(shown)}, and is ${JSON.stringify(is)}`)
  }
  const all = async (path: string) => {
    const { json } = await get(`${path}?${PAGE}`)
    hold(`${path} in all`, json.totalItems, json.items.length)
    return json.items as { id: string; name: string; status: string; definition: string }[]
  }
  for (const path of [
    '/contacts',
    '/topics',
    '/forms',
    '/unsubscribes',
    '/suppressions',
    '/contacts/bulk-acts',
    '/webhooks',
  ])
    await all(path)
  for (const { id, name } of await all('/tags')) {
    const listed = await get(`/contacts?tag=${name}&${PAGE}`)
    hold(`people with the tag ${name}`, (await get(`/tags/${id}/count`)).json.contactCount, listed.json.items.length)
    hold(`the list of the tag ${name}`, listed.json.totalItems, listed.json.items.length)
  }
  for (const { id, definition } of await all('/segments')) {
    const listed = await get(`/contacts?segmentId=${id}&${PAGE}`)
    const { json } = await send('POST', `${instance.baseUrl}/api/segments/preview`, {
      token: instance.token,
      json: { definition },
    })
    hold(`people of the segment ${id}`, json.count, listed.json.items.length)
    hold(`the list of the segment ${id}`, listed.json.totalItems, listed.json.items.length)
  }
  for (const { id } of await all('/broadcasts')) {
    const { json } = await get(`/broadcasts/${id}/report`)
    const { pendingCount, acceptedCount, failedCount, suppressedCount, skippedCount, uncertainCount } = json
    hold(`that broadcast ${id} adds up`, json.addsUp, true)
    const sum = pendingCount + acceptedCount + failedCount + suppressedCount + skippedCount + uncertainCount
    hold(`the sum of broadcast ${id} (${json.status})`, json.recipientsTotal, sum)
  }
  for (const { id } of await all('/automations')) {
    const { json } = await get(`/automations/${id}/counts`)
    hold(`people inside automation ${id}`, json.inside, 0)
    for (const { node, entered, here, left, ended } of json.nodes)
      hold(`node ${node} of automation ${id}`, entered, here + left + ended)
  }
  const stored = await instance.sql<{ id: string; n: number }>(
    `select client_id as id, 1 as n from event_client_ids where client_id = any ($1)`,
    [recorded],
  )
  hold('events that were recorded under ids', stored.length, recorded.length)
  const [noise] = await instance.sql<{ n: number }>('select count(*)::int as n from events where name = $1', [NOISE])
  hold('events about nobody', noise!.n, recorded.length)
  const [views] = await instance.sql<{ n: number }>('select count(*)::int as n from events where name = $1', [VIEW])
  hold('events of browsers that nobody recognises', views!.n, viewed.events)
  const [stays] = await instance.sql<{ n: number }>('select count(*)::int as n from events where name = $1', [STAY])
  hold('events of browsers of people who stay', stays!.n, viewed.ofLinked)
  const elsewhere = await instance.sql(
    `select e.id, e.visitor_id, e.contact_id, v.contact_id as visitor_of from events e join visitors v using (workspace_id, visitor_id)
     where e.contact_id is distinct from v.contact_id and e.name like 'crowd.%' limit 3`,
  )
  hold('events of visitors are those of whoever they are', elsewhere, [])
  const named = await instance.sql<{ name: string; n: number }>(
    `select name, count(*)::int as n from (select name from templates union all select name from segments union all select name from broadcasts) made
     where name = any ($1) group by 1 having count(*) <> 1`,
    [made.map(({ name }) => name)],
  )
  hold('what agents make is there once', named, [])
  return faults
}
