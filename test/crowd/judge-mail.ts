import type { Said } from './doer.ts'
import { idOfMail, type MailSink, type SunkMail } from './mail-sink.ts'
import type { CrowdWorld } from './world.ts'

/** Faults of mail: none lost, none twice, none to somebody who had said no before. */
export async function judgeMail(
  { instance, sink, templateId }: CrowdWorld,
  said: readonly Said[],
  mayBeUncertain: boolean,
): Promise<string[]> {
  const faults: string[] = []
  const asked = new Set<string>()
  const heard = new Set(said.flatMap(({ key, status }) => (key !== undefined && status === 202 ? [key] : [])))
  const unheard = new Map<string, number>()
  for (const one of said) {
    if (one.method !== 'POST' || !/\/emails(\/batch)?$/.test(one.path)) continue
    if (one.status === 204 && !heard.has(one.key!))
      unheard.set(one.key!, (one.sent as { emails?: unknown[] }).emails?.length ?? 1)
    if (one.status !== 202) continue
    const answer = JSON.parse(one.text)
    for (const { id } of answer.results ?? [answer]) if (id !== undefined) asked.add(id)
  }
  const [mails] = await instance.sql<{ n: number }>(
    `select count(*)::int as n from messages where source_kind = 'email' and id = any ($1)`,
    [[...asked]],
  )
  // By this template nobody mails but by an approval, which is judged with these.
  const [all] = await instance.sql<{ n: number }>(
    `select count(*)::int as n from messages m where source_kind = 'email' and not exists (
       select from emails e where e.message_id = m.id and e.template_id = $1)`,
    [templateId],
  )
  const unheardMax = [...unheard.values()].reduce((sum, count) => sum + count, 0)
  if (mails!.n !== asked.size || all!.n < asked.size || all!.n > asked.size + unheardMax)
    faults.push(`${asked.size} mails were asked for, ${mails!.n} of them are there, ${all!.n} in all`)
  faults.push(...(await copiesOf(instance, { sink, said, mayBeUncertain })))
  return [...faults, ...againstNo(sink, said)]
}

type Handed = {
  id: string
  source: string
  broadcast: string
  state: string
  unseen: number
  seen: boolean
  marked: boolean
}

/**
 * Faults of each message's copies: one of what was taken, none of what was not, and of what nobody saw taken at the most one for each time; and
 * no such time more than it was asked for, the first one apart.
 */
async function copiesOf(
  instance: CrowdWorld['instance'],
  { sink, said, mayBeUncertain }: { sink: MailSink; said: readonly Said[]; mayBeUncertain: boolean },
): Promise<string[]> {
  const messages = await instance.sql<Handed>(
    `select id, source_kind as source, source_id as broadcast, state, reply is not null as seen,
       coalesce(opened_at, clicked_at, unsubscribed_at, complained_at) is not null as marked,
       (select count(*)::int from message_attempts a where a.message_id = m.id and a.outcome = 'uncertain') as unseen
     from messages m`,
  )
  const copies = Map.groupBy(sink.mails, idOfMail)
  const retries = retriesIn(said)
  const faults: string[] = []
  for (const { id, source, broadcast, state, unseen, seen, marked } of messages) {
    const came = copies.get(id)?.length ?? 0
    const told = `message ${id} of ${source} ${broadcast} is ${state}, came ${came} times, ${unseen} times unseen`
    const askedFor = 1 + (retries.get(source === 'broadcast' ? `broadcasts/${broadcast}` : `emails/${id}`) ?? 0)
    const least = state === 'accepted' && (unseen === 0 || seen) ? 1 : 0
    const most = unseen + (state === 'accepted' ? 1 : 0)
    if (came < least || came > most) faults.push(`came otherwise than the ledger says: ${told}`)
    if (came > askedFor || unseen > askedFor) faults.push(`was not asked for so often (${askedFor}): ${told}`)
    if (unseen > 0 && !mayBeUncertain) faults.push(`is uncertain: ${told}`)
    if (state === 'uncertain' && marked) faults.push(`was seen by its reader: ${told}`)
  }
  for (const id of copies.keys())
    if (!messages.some((one) => one.id === id)) faults.push(`a mail came of the message ${id}, which is not there`)
  return faults
}

/** How often each message or broadcast was asked to go out again, whoever asked twice under one key. */
function retriesIn(said: readonly Said[]): Map<string, number> {
  const asked = said.filter(
    ({ path, status, sent }) =>
      status < 300 && /\/(resolve|resolve-uncertain)$/.test(path) && (sent as { as: string }).as === 'retry',
  )
  const acts = new Map(asked.map((one) => [one.key ?? one.requestId, /[a-z]+\/\d+/.exec(one.path)![0]]))
  const counts = new Map<string, number>()
  for (const what of acts.values()) counts.set(what, (counts.get(what) ?? 0) + 1)
  return counts
}

type Word = { to: string; beganAt: number; endedAt: number }

const isPost = ({ method, status }: Said) => method === 'POST' && status === 201
/** Marketing mail of the storm, by its subjects. */
const IS_MARKETING = /^Subject: (News|You came|Asked \d+)$/m

/** Mail that went out after a no that was answered before its server offered to take it, and before anybody may have said yes again. */
function againstNo(sink: MailSink, said: readonly Said[]): string[] {
  const suppressed = said.filter((one) => isPost(one) && one.path.endsWith('/suppressions'))
  const unsubscribed = said.filter((one) => isPost(one) && JSON.parse(one.text).sendingSource === 'everything')
  // Who takes a no back names no address: each may be free from then on.
  const freed = said.filter((one) => one.method === 'DELETE' && one.path.includes('/suppressions/'))
  const wanted = said.filter((one) => /\/unsubscribes\/\d|\/e\/s\/|\/topics\//.test(one.path) && one.method !== 'GET')
  const marketing = sink.mails.filter(({ text }) => IS_MARKETING.test(text))
  return [
    ...mailsAfter(sink.mails, wordsOf(suppressed), freed),
    ...mailsAfter(marketing, wordsOf(unsubscribed), wanted),
  ]
}

function wordsOf(said: readonly Said[]): Word[] {
  return said.map(({ text, beganAt, endedAt }) => ({ to: JSON.parse(text).destination, beganAt, endedAt }))
}

function mailsAfter(mails: readonly SunkMail[], noes: readonly Word[], yes: readonly Said[]): string[] {
  return mails.flatMap(({ to, offeredAt, messageId }) => {
    const isTakenBack = (no: Word) => yes.some((one) => one.endedAt > no.beganAt && one.beganAt < offeredAt)
    const no = noes.find((one) => one.to === to && one.endedAt < offeredAt && !isTakenBack(one))
    return no === undefined ? [] : [`${to} got ${messageId} ${Math.round(offeredAt - no.endedAt)} ms after a no`]
  })
}
