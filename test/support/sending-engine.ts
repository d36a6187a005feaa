import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { createPacer } from '../../server/modules/pacing/pacer.ts'
import { createMessageIds } from '../../server/modules/sending/ledger/message-ids.ts'
import { PLANNED_MAX, planMessages } from '../../server/modules/sending/ledger/plan-messages.ts'
import { totalsOf } from '../../server/modules/sending/ledger/read-totals.ts'
import type { MessageSource, SourceKind } from '../../server/modules/sending/message-source.ts'
import { openStream, setStreamState } from '../../server/modules/sending/streams.ts'
import { createTransports } from '../../server/modules/sending/transports/transports.ts'
import { createHandingMarks } from '../../server/modules/sending/turn/mark-handing.ts'
import { createResultRecorder } from '../../server/modules/sending/turn/result-recorder.ts'
import { type SendDeps, sendTurns } from '../../server/modules/sending/turn/send-messages.ts'
import { type SecretBox, secretKeys } from '../../server/platform/crypto/secret-box.ts'
import { inTransaction, queryInScope, type Transaction } from '../../server/platform/db/transaction.ts'
import { runTurn } from '../../server/platform/lanes/run-turn.ts'
import { PRIVATE_NETWORKS } from '../../server/platform/mail/mail-host.ts'
import { parseNetworks } from '../../server/platform/net/address-guard.ts'
import { createGuardedClient } from '../../server/platform/net/guarded-client.ts'
import { createResolver } from '../../server/platform/net/resolver.ts'
import { SENDER } from './sending-world.ts'
import { takeSendJobs, type WaitingJob } from './turn-jobs.ts'

/** How soon a job that was committed is run. */
const LOOK_EVERY_MS = 5

const content: MessageSource['prepare'] = async () => ({
  contentOf: async ({ destination }) => ({
    from: { address: SENDER, name: 'News' },
    to: [{ address: destination, name: null }],
    subject: 'Hello',
    html: '<p>Hello</p>',
    text: 'Hello',
    oneClickUrl: 'https://mail.example/u/1',
  }),
})

/**
 * The engine of one process with its real ways out, and turns that run when they are due, as workers would run them;
 * what is sent is a word. `close` lets what is under way end.
 */
export function startSendingEngine(pool: pg.Pool, secrets: SecretBox, workspaceId: string) {
  const resolve = createResolver()
  const client = createGuardedClient({ allow: parseNetworks('127.0.0.0/8'), resolve })
  const troubles: unknown[] = []
  const stopping = new AbortController()
  const underWay = new Set<Promise<unknown>>()
  const onError = (error: unknown) => void troubles.push(error)
  const transports = createTransports({ mail: { allow: PRIVATE_NETWORKS, resolve }, client, onError })
  const source = (kind: SourceKind): MessageSource => ({
    kind,
    senderOf: async () => ({ integrationId: null, fromEmail: null, fromName: null }),
    prepare: content,
  })
  const messageIds = createMessageIds({ keys: secretKeys([{ id: 'test', key: randomBytes(32) }]) })
  const deps: SendDeps = {
    ...{ pool, secrets, transports, onError },
    sources: new Map((['broadcast', 'email'] as const).map((kind) => [kind, source(kind)])),
    isCatcher: () => false,
    pacer: createPacer({ pool, onError }),
    marks: createHandingMarks(pool, onError),
    recorder: createResultRecorder({ pool, onRecorded: () => undefined, onError }),
    returnPathOf: () => null,
    unsubscribeAddressOf: () => null,
    messageIdOf: messageIds.of,
  }

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      for (const job of await takeSendJobs(pool, workspaceId)) runWhenDue(job)
      await delay(LOOK_EVERY_MS)
    }
  }

  function runWhenDue(job: WaitingJob): void {
    const dueInMs = job.runAt === undefined ? 0 : Math.max(0, Date.parse(job.runAt) - Date.now())
    setTimeout(() => {
      if (stopping.signal.aborted) return
      const run = runTurn(turns, job, stopping.signal).catch(onError)
      underWay.add(run)
      void run.finally(() => underWay.delete(run))
    }, dueInMs).unref()
  }
  const turns = sendTurns(deps)
  const working = work().catch(onError)
  const inTx = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, workspaceId, work)
  const rows = (text: string, values: unknown[] = []) => queryInScope(pool, workspaceId, { text, values })

  /** Plans a broadcast to so many new contacts of a domain and lets it go. */
  async function broadcast(broadcastId: string, { count, domain }: { count: number; domain: string }) {
    const contacts = await rows(
      `insert into contacts (workspace_id, email) select $1, 'p' || n || '@' || $2 from generate_series(1, $3::int) n
       returning id`,
      [workspaceId, domain, count],
    )
    const from = { kind: 'broadcast', id: broadcastId } as const
    const stream = await inTx((tx) => openStream(tx, workspaceId, from))
    const plan = { ...stream, source: from, purpose: 'marketing', createdAt: new Date().toISOString() } as const
    const people = contacts.map(({ id }) => ({ contactId: id as string, dueAt: null }))
    for (let next = 0; next < people.length; next += PLANNED_MAX) {
      await inTx((tx) => planMessages(tx, plan, people.slice(next, next + PLANNED_MAX)))
    }
    const wake = () => inTx((tx) => setStreamState(tx, { ...stream, state: 'open' }))
    await wake()
    return {
      totals: async () => (await inTx((tx) => totalsOf(tx, workspaceId, [broadcastId]))).get(broadcastId)!,
      /** Nothing has to wait any more, for whatever reason it did. */
      async hurry() {
        await rows('delete from domain_backoffs')
        await rows('update send_streams set held_until = null')
        await rows('update message_queue set due_at = now() where stream_id = $1 and turn is null', [stream.streamId])
        await wake()
      },
    }
  }

  return {
    ...{ broadcast, rows, troubles },
    async close() {
      stopping.abort()
      await working
      await Promise.all(underWay)
      await transports.close()
      await client.close()
    },
  }
}
