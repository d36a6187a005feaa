import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type ArrivalSink, fullestSecond, startArrivalSink } from '../../../test/support/arrival-sink.ts'
import type { PacedSenderTask } from '../../../test/support/paced-sender.ts'
import { storeIntegration } from '../../../test/support/sending-world.ts'
import { createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'

const LIMITS = [1, 14, 50, 200]
const PROCESSES = 4
/** For each limit and process. */
const CONNECTIONS = 6
/** LIMITS_SECONDS=600 is the long form. */
const SECONDS = Number(process.env.LIMITS_SECONDS ?? 8)
const STALL_MS = 1_200
const TEST_MS_MAX = (SECONDS + 120) * 1_000
/** Of a limit, in the long form on a machine of its own; pace.test.ts holds the pace itself to it by a clock of its own. */
const USED_PART = SECONDS >= 60 ? 0.95 : 0
const SENDER = fileURLToPath(new URL('../../../test/support/paced-sender.ts', import.meta.url))

const { database, pool } = await testWorkspace()

const domainOf = (perSecond: number) => `limit${perSecond}.example`

async function startSenders(sink: ArrivalSink): Promise<ChildProcess[]> {
  const streams: PacedSenderTask['streams'] = []
  for (const perSecond of LIMITS) {
    const workspaceId = await createWorkspace(pool)
    const integrationId = await storeIntegration(pool, workspaceId, { port: sink.port })
    streams.push({ workspaceId, integrationId, perSecond, kind: 'broadcast', domain: domainOf(perSecond) })
  }
  const task: PacedSenderTask = { databaseUrl: database.url, port: sink.port, connections: CONNECTIONS, streams }
  return Array.from({ length: PROCESSES }, () =>
    spawn(process.execPath, [SENDER, JSON.stringify(task)], { stdio: ['pipe', 'inherit', 'inherit'] }),
  )
}

/** One process after the other stands still for longer than any slot is given ahead: a machine that has no time for it. */
async function stallInTurn(senders: readonly ChildProcess[]): Promise<void> {
  for (const sender of senders) {
    sender.kill('SIGSTOP')
    await sleep(STALL_MS)
    sender.kill('SIGCONT')
    await sleep(STALL_MS / 3)
  }
}

test(`${PROCESSES} processes share each limit, and no second at the server has one too many, nor when one stalls`, {
  timeout: TEST_MS_MAX,
}, async (t) => {
  const sink = await startArrivalSink()
  const senders = await startSenders(sink)
  t.after(async () => {
    for (const sender of senders) sender.kill('SIGKILL')
    await sink.close()
  })
  // The rate is what is looked at, so time has to pass: first until every process is there, then the time itself.
  for (let seen = 0; seen < 50; await sleep(100)) seen += Object.values(await sink.take()).flat().length
  await sleep(1_000)
  await sink.take()
  await sleep(SECONDS * 1_000)
  const arrivals = await sink.take()
  await stallInTurn(senders)
  const stalled = await sink.take()
  for (const sender of senders) sender.stdin!.end()
  await Promise.all(senders.map((sender) => once(sender, 'exit')))
  for (const perSecond of LIMITS) {
    const seen = arrivals[domainOf(perSecond)] ?? []
    const most = fullestSecond(seen)
    const used = (seen.length - 1) / ((seen.at(-1)!.by - seen[0]!.by) / 1_000) / perSecond
    const facts = `${perSecond}/s: ${seen.length} messages, ${(used * 100).toFixed(1)} % used, ${most} in the fullest second`
    console.log(facts)
    assert.ok(most <= perSecond, facts)
    assert.ok(used >= USED_PART, facts)
    const mostStalled = fullestSecond(stalled[domainOf(perSecond)] ?? [])
    assert.ok(mostStalled <= perSecond, `${perSecond}/s: ${mostStalled} in a second in which a process woke up`)
  }
})
