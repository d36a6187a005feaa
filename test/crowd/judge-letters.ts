import type { Said } from './doer.ts'
import { idOfMail } from './mail-sink.ts'
import type { CrowdWorld } from './world.ts'

type Queued = { id: string; status: string; destination: string }
type Item = { destination?: string; templateId?: string; templateKey?: string; scheduledAt?: string }
type Letter = { id: string; asked: Item; beganAt: number; endedAt: number }
type Row = {
  id: string
  template: string
  version: number
  subject: string
  order: string
  state: string
  reason: string | null
}
type Change = { version: number; beganAt: number; endedAt: number }

/** The clock of the machine that the crowd is on may be set by so much while it acts. */
const CLOCK_SLACK_MS = 50
const SUBJECT = /^Subject: (Letter \d+)$/m
const ORDER = /Order (\d+)/
const MAIL_BY_TEMPLATE = /^mail(Many)?ByTemplate$/
/** A way that mail by a template may end by what others do: taken back, refused, or without somebody who sends. */
const MAY_END = /^(accepted|suppressed|skipped|uncertain)$|^failed (unverified_domain|address_refused)$/

/** Faults of mail by templates: in the version that was in force, not before its time, and not after it was taken back. */
export async function judgeLetters(world: CrowdWorld, said: readonly Said[]): Promise<string[]> {
  const { instance, sink } = world
  const faults: string[] = []
  const letters = lettersIn(said, faults)
  const changes = changesIn(said)
  const rows = await instance.sql<Row>(
    `select m.id, e.template_id as template, e.template_version as version, v.subject, e.variables ->> 'order' as order, m.state, m.reason
     from emails e join messages m on m.id = e.message_id
     left join template_versions v on v.template_id = e.template_id and v.version = e.template_version
     where e.template_id is not null and e.template_id <> $1`,
    [world.templateId],
  )
  const known = new Map(rows.map((row) => [row.id, row]))
  const came = Map.groupBy(sink.mails, idOfMail)
  for (const letter of letters) {
    const row = known.get(letter.id)
    const told = JSON.stringify({ ...letter, row })
    if (row === undefined) {
      faults.push(`a letter is not there: ${told}`)
      continue
    }
    const { asked, beganAt, endedAt } = letter
    if (asked.templateId !== undefined && asked.templateId !== row.template) faults.push(`by another template: ${told}`)
    const ofTemplate = changes.get(row.template) ?? []
    const own = ofTemplate.find((one) => one.version === row.version)
    if (own !== undefined && own.beganAt > endedAt) faults.push(`in a version that came later: ${told}`)
    if (ofTemplate.some((one) => one.version > row.version && one.endedAt < beganAt))
      faults.push(`in a version that was replaced before: ${told}`)
    if (!MAY_END.test(row.state) && !MAY_END.test(`${row.state} ${row.reason}`))
      faults.push(`a letter has no end: ${told}`)
    for (const copy of came.get(letter.id) ?? []) {
      const [subject, order] = [SUBJECT.exec(copy.text)?.[1], ORDER.exec(copy.text)?.[1]]
      // Of somebody who is erased nothing is kept that would tell.
      if (subject !== row.subject || (row.order !== null && order !== row.order))
        faults.push(`says ${subject}, ${order}: ${told}`)
      const dueAt = asked.scheduledAt === undefined ? 0 : Date.parse(asked.scheduledAt) - performance.timeOrigin
      if (copy.offeredAt < world.hurriedAt && copy.offeredAt < dueAt - CLOCK_SLACK_MS)
        faults.push(`came ${Math.round(dueAt - copy.offeredAt)} ms too early: ${told}`)
    }
  }
  return [...faults, ...(await judgeCanceled(world, said))]
}

/** Mail that was accepted by a template; and faults of batches, of which each item has its own answer. */
function lettersIn(said: readonly Said[], faults: string[]): Letter[] {
  // A repeat under the same key is answered as the first was, whatever has changed since.
  const acts = Object.values(Object.groupBy(said, (one) => one.key ?? one.requestId))
  return acts.flatMap((same) => {
    const { act, path, status, text, sent, endedAt } = same!.find((one) => one.status === 202) ?? same![0]!
    const beganAt = Math.min(...same!.map((one) => one.beganAt))
    if (!MAIL_BY_TEMPLATE.test(act) || status !== 202) return []
    const times = { beganAt, endedAt }
    if (!path.endsWith('/batch')) return [{ id: (JSON.parse(text) as Queued).id, asked: sent as Item, ...times }]
    const { emails } = sent as { emails: Item[] }
    const { results } = JSON.parse(text) as { results: (Queued & { index: number })[] }
    if (results.length !== emails.length) faults.push(`${emails.length} items have ${results.length} answers: ${text}`)
    return results.flatMap((result, index) => {
      const asked = emails[index]!
      const isGood =
        asked.templateId !== undefined || (asked.templateKey !== undefined && asked.templateKey !== 'unknown')
      if (
        result.index !== index ||
        (result.status !== 'failed' && (!isGood || result.destination !== asked.destination))
      )
        faults.push(`another answer than that of item ${index}: ${text} of ${JSON.stringify(emails)}`)
      return result.status === 'failed' ? [] : [{ id: result.id, asked, ...times }]
    })
  })
}

/** Versions of each template by the times at which they came into force, of acts that always make one. */
function changesIn(said: readonly Said[]): Map<string, Change[]> {
  const changes = new Map<string, Change[]>()
  for (const { act, status, text, beganAt, endedAt } of said) {
    if (!/^(createTemplate|changeLetter)$/.test(act) || status >= 300 || text === '') continue
    const { id, version } = JSON.parse(text) as { id: string; version: number }
    changes.set(id, [...(changes.get(id) ?? []), { version, beganAt, endedAt }])
  }
  return changes
}

/** Faults of mail that was taken back: it never comes, and has the end that was answered. */
async function judgeCanceled({ instance, sink }: CrowdWorld, said: readonly Said[]): Promise<string[]> {
  const ids = said.flatMap(({ path, status }) =>
    status === 200 ? (/\/emails\/(\d+)\/cancel$/.exec(path)?.[1] ?? []) : [],
  )
  const rows = await instance.sql<{ id: string; state: string; reason: string | null }>(
    'select id, state, reason from messages where id = any ($1)',
    [ids],
  )
  const came = new Set(sink.mails.map(idOfMail))
  return rows.flatMap(({ id, state, reason }) =>
    state === 'skipped' && reason === 'canceled' && !came.has(id)
      ? []
      : [`message ${id} was taken back, is ${state} ${reason}${came.has(id) ? ', and came' : ''}`],
  )
}
