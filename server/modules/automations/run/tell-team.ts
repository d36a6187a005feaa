import type pg from 'pg'
import { crashPoint } from '../../../platform/crash-point.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { DAY_SECONDS, MINUTE_MS } from '../../../platform/durations.ts'
import { handlerOf } from '../../../platform/jobs/job-kind.ts'
import type { JobHandler, Outcome } from '../../../platform/jobs/outcome.ts'
import { meantOf, membersToTell } from '../../members/members-to-tell.ts'
import type { SystemMailer } from '../../system-mail/system-mailer.ts'
import type { CompiledCache } from '../../templates/compiled-cache.ts'
import type { NotifyNode } from '../definition/definition.ts'
import { loadDefinitions } from '../definition/load-definitions.ts'
import { TELL_TEAM, type TellKey } from './note-notices.ts'
import { messagesFor } from './notice-messages.ts'
import { type Held, notePace, takeHeld, type Waiting, waitingNotices } from './notice-queries.ts'
import { type Told, teamMail } from './team-mail.ts'

/** An automation writes to nobody of the team more often: who comes meanwhile is told together. */
export const NOTICE_EVERY_MINUTES = 10
const NOTICE_SECONDS = DAY_SECONDS

export type TellDeps = {
  pool: pg.Pool
  mailer: Pick<SystemMailer, 'queue' | 'dashboardUrl'>
  compiled: CompiledCache
}

/** The job `tell_team`: tells members by mail who has come to steps that say so, since they were told last. */
export function tellTeamJob(deps: TellDeps): JobHandler {
  return handlerOf(TELL_TEAM, {
    reach: 'mailbox',
    attemptsMax: Number.POSITIVE_INFINITY,
    timeoutMs: MINUTE_MS,
    run: ({ payload }) => tellTeam(deps, payload),
  })
}

export async function tellTeam({ pool, mailer, compiled }: TellDeps, key: TellKey): Promise<Outcome> {
  const { workspaceId } = key
  const waiting = await inTransaction(pool, workspaceId, (tx) => waitingNotices(tx, key))
  const pauseMs = waiting.toldMsAgo === null ? 0 : NOTICE_EVERY_MINUTES * MINUTE_MS - waiting.toldMsAgo
  if (pauseMs > 0) return { outcome: 'snooze', afterMs: pauseMs }
  const messages = await messagesFor(compiled, waiting)
  await inTransaction(pool, workspaceId, async (tx) => {
    const { held, stillNamed } = await takeHeld(tx, key)
    if (held.length === 0) return
    const versions = held.map(({ version }) => version)
    const definitions = await loadDefinitions(tx, key, [...new Set(versions)])
    await notePace(tx, key)
    const places = placesOf({ definitions, named: waiting.named }, { held, stillNamed, messages })
    const addresses = places.flatMap(({ node }) => node.members ?? [])
    const members = await membersToTell(tx, workspaceId, [...new Set(addresses)])
    for (const member of members) {
      const told = places.filter(({ node }) => meantOf([member], node.members).length > 0).map((one) => one.told)
      if (told.length === 0) continue
      const place = { ...waiting.place, automationId: key.automationId }
      const mail = { name: member.name, told, place, everyMinutes: NOTICE_EVERY_MINUTES }
      await mailer.queue(tx, {
        kind: 'team_notice',
        recipient: member.email,
        lifeSeconds: NOTICE_SECONDS,
        content: teamMail(mail, mailer.dashboardUrl),
      })
    }
  })
  crashPoint('team_told')
  return { outcome: 'ok' }
}

type Telling = { held: readonly Held[]; stillNamed: ReadonlySet<string>; messages: ReadonlyMap<string, string> }

/** Steps of which is told, each with its people: whoever was erased meanwhile is counted and not named. */
function placesOf(
  { definitions, named }: Pick<Waiting, 'definitions' | 'named'>,
  { held, stillNamed, messages }: Telling,
): { node: NotifyNode; told: Told }[] {
  const groups = Map.groupBy(held, ({ version, node }) => `${version}/${node}`)
  return [...groups.values()].flatMap((of) => {
    const { version, node: id } = of[0]!
    const node = definitions.get(version)?.nodes[id]
    if (node?.type !== 'notify') return []
    const people = of.reduce((sum, one) => sum + Number(one.people), 0)
    const since = of.map((one) => one.since).toSorted()[0]!
    const here = named.filter((one) => one.version === version && one.node === id && stillNamed.has(one.id))
    const comers = here.map((one) => ({ ...one, message: messages.get(one.id) ?? '' }))
    return [{ node, told: { subject: node.subject, people, since, named: comers } }]
  })
}
