import type { Said } from './doer.ts'
import type { MailSink, SunkMail } from './mail-sink.ts'
import type { CrowdWorld } from './world.ts'

/** Faults of mail: none lost, none twice, none to somebody who had said no before. */
export async function judgeMail(
  { instance, sink }: CrowdWorld,
  said: readonly Said[],
  mayBeUncertain: boolean,
): Promise<string[]> {
  const faults: string[] = []
  const [ledger] = await instance.sql<{ accepted: number; uncertain: number }>(
    `select count(*) filter (where state = 'accepted')::int as accepted,
       count(*) filter (where state = 'uncertain')::int as uncertain from messages`,
  )
  if (!mayBeUncertain && ledger!.uncertain > 0) faults.push(`${ledger!.uncertain} mails are uncertain`)
  const [least, most] = [ledger!.accepted, ledger!.accepted + ledger!.uncertain]
  if (sink.mails.length < least || sink.mails.length > most)
    faults.push(`${sink.mails.length} mails came, ${least} are accepted in the ledger, and ${most - least} uncertain`)
  const ids = new Set(sink.mails.map(({ messageId }) => messageId))
  if (ids.size !== sink.mails.length) faults.push(`${sink.mails.length - ids.size} mails came twice`)
  const asked = new Set<string>()
  for (const one of said) {
    if (one.method !== 'POST' || !/\/emails(\/batch)?$/.test(one.path) || one.status !== 202) continue
    const answer = JSON.parse(one.text)
    for (const { id } of answer.results ?? [answer]) asked.add(id)
  }
  const [mails] = await instance.sql<{ n: number }>(
    `select count(*)::int as n from messages where source_kind = 'email' and id = any ($1)`,
    [[...asked]],
  )
  const [all] = await instance.sql<{ n: number }>(`select count(*)::int as n from messages where source_kind = 'email'`)
  if (mails!.n !== asked.size || all!.n !== asked.size)
    faults.push(`${asked.size} mails were asked for, ${mails!.n} of them are there, ${all!.n} in all`)
  return [...faults, ...againstNo(sink, said)]
}

type Word = { to: string; beganAt: number; endedAt: number }

const isPost = ({ method, status }: Said) => method === 'POST' && status === 201
/** Marketing mail of the storm, by its subjects. */
const IS_MARKETING = /^Subject: (News|You came)$/m

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
