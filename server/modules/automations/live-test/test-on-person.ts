import { unprocessable } from '../../../catalogue/problems.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { Problem } from '../../../platform/problem.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Caller } from '../../auth/caller.ts'
import { checkSender } from '../../broadcasts/preflight/check-sender.ts'
import { personOf } from '../../broadcasts/preflight/sample-person.ts'
import { renderFor, type TestDeps, testOf } from '../../broadcasts/preflight/send-test.ts'
import { queueTestMails } from '../../emails/queue-test-mail.ts'
import { mailsOf } from '../definition/check-mail.ts'
import type { Definition } from '../definition/definition.ts'
import { storedDefinition } from '../definition/read-definition.ts'
import { escaped } from '../definition/reading.ts'
import { storedAutomation } from '../definition/stored-automation.ts'
import { readScenarios } from '../scenarios/read-scenarios.ts'
import type { Given } from '../scenarios/scenario.ts'
import { scenarioFacts } from '../scenarios/scenario-facts.ts'
import type { PlayLiveTest } from './live-test-player.ts'
import { fieldsOf, personOfTest } from './person-of-test.ts'
import { type PlayedMail, triggerOf } from './play-live-test.ts'
import type { LiveTest, LiveTestBody } from './schemas.ts'
import { testDestination } from './test-destination.ts'

export type LiveTestDeps = TestDeps & { playLiveTest: PlayLiveTest }

type RenderedMail = {
  mail: PlayedMail
  sentFrom: string
  test: Omit<ReturnType<typeof testOf>, 'oneClickUrl'> & { oneClickUrl: string | null }
}

/** Waits of a test, whatever the draft says. */
const WAIT_MS = 3_000

/**
 * Walks one person through the draft and sends its mails to the team, marked as tests. They come in now; nothing but the mails is
 * done, and nothing is counted. Throws 400, 403, 404, 422 naming what keeps it from it.
 */
export async function testOnPerson(
  deps: LiveTestDeps,
  caller: Caller,
  { id, body }: { id: string; body: LiveTestBody },
): Promise<LiveTest> {
  const { sql } = deps
  const { workspaceId } = caller
  const { contactId, email, given } = body
  const nowMs = Date.now()
  const destination = await testDestination(sql, caller, email)
  const { row, facts, sources } = await inTransaction(sql, workspaceId, async (tx) => {
    const automation = await storedAutomation(tx, { workspaceId, id })
    const draft = storedDefinition(automation.draft)
    return {
      row: automation,
      facts: await scenarioFacts(tx, workspaceId, draft),
      sources: new Map((await mailsOf(tx, workspaceId, draft)).map(({ node, source }) => [node, source])),
    }
  })
  const definition = storedDefinition(row.draft)
  const person = await personOf(sql, caller, contactId)
  const asking = { workspaceId, automationId: id, definition, facts, nowMs }
  const contact = contactId === undefined ? null : await personOfTest(sql, contactId, asking)
  const played = await deps.playLiveTest({
    ...{ workspaceId, automationId: id, definition: row.draft, facts, contact, fields: fieldsOf(person) },
    ...{ given: givenOf(given ?? [triggerOf(definition)], nowMs), startMs: nowMs },
  })
  const mails: RenderedMail[] = []
  // One after the other: a request takes one place of the pool.
  for (const mail of played.mails) {
    const source = sources.get(mail.node)
    const pointer = `/definition/nodes/${escaped(mail.node)}`
    if (!source) throw unprocessable([{ pointer: `${pointer}/template`, detail: 'is not a template any more' }])
    const rendered = await renderAt(deps, { pointer, source, of: { workspaceId, person, own: ownOf(mail) } })
    const { oneClickUrl, ...test } = testOf(deps, rendered)
    const sentFrom = new Date(nowMs + mail.waits * WAIT_MS).toISOString()
    mails.push({
      ...{ mail, sentFrom },
      test: { ...test, oneClickUrl: definition.class === 'marketing' ? oneClickUrl : null },
    })
  }
  const messageIds = await inTransaction(sql, workspaceId, async (tx) => {
    if (mails.length > 0) await requireSender(tx, deps, { workspaceId, definition })
    const { fromEmail, fromName } = definition.sender
    const queued = mails.map(({ test, sentFrom }) => ({
      ...{ ...test, destination, fromEmail, fromName, scheduledAt: sentFrom },
    }))
    const ids = queued.length === 0 ? [] : await queueTestMails(tx, workspaceId, queued)
    await recordAudit(tx, caller, {
      action: 'automation.test',
      target: { type: 'automation', id, name: row.name },
      diff: { destination: 'changed', mails: { from: null, to: ids.length } },
    })
    return ids
  })
  const { refused, end, steps, skipped, notDone } = played
  return {
    ...{
      contactId: contact?.id ?? null,
      destination,
      refused,
      end,
      steps,
      skipped: [...skipped],
      notDone: [...notDone],
    },
    mails: mails.map(({ mail: { node, at }, test: { subject }, sentFrom }, n) => ({
      ...{ node, messageId: messageIds[n]!, subject, at, sentFrom },
    })),
  }
}

/** Happenings as scenarios read them, from now on. Throws 422 with a pointer to each fault. */
function givenOf(given: readonly unknown[], nowMs: number): readonly Given[] {
  const scenario = { name: 'test', start: new Date(nowMs).toISOString(), given, expect: [] }
  const { scenarios, faults } = readScenarios([scenario])
  if (faults.length === 0) return scenarios[0]!.given
  throw unprocessable(faults.map(({ pointer, detail }) => ({ pointer: pointer.replace('/scenarios/0', ''), detail })))
}

/** Variables that mails of automations have besides those of the contact. */
const ownOf = ({ trigger, variables }: PlayedMail) => ({ event: trigger ?? {}, var: variables })

type Rendering = { pointer: string; source: Parameters<typeof renderFor>[1]; of: Parameters<typeof renderFor>[2] }

/** A mail of a node; its faults lead there. */
async function renderAt(deps: TestDeps, { pointer, source, of }: Rendering) {
  try {
    return await renderFor(deps, source, of)
  } catch (error) {
    if (!(error instanceof Problem) || error.statusCode !== 422) throw error
    throw unprocessable((error.errors ?? []).map((one) => ({ ...one, pointer: `${pointer}${one.pointer}` })))
  }
}

type Sent = { workspaceId: string; definition: Definition }

/** Single mails go through the default integration, and so does a test. */
async function requireSender(
  tx: Parameters<typeof checkSender>[0],
  deps: TestDeps,
  { workspaceId, definition }: Sent,
): Promise<void> {
  const checks = await checkSender(tx, deps, {
    ...{ workspaceId, fromEmail: definition.sender.fromEmail, integrationId: null },
  })
  if (checks.length === 0) return
  throw unprocessable(checks.map(({ field, detail }) => ({ pointer: `/definition/sender/${field}`, detail })))
}
