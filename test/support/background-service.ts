import { randomBytes } from 'node:crypto'
import { createPools, migrateDatabase, type Pools, startBackground } from '../../server/app.ts'
import { PROVIDERS } from '../../server/catalogue/providers.ts'
import { commandEndpoints, composeModules, outgoingClient } from '../../server/compose.ts'
import { readConfig } from '../../server/config.ts'
import { keysOf } from '../../server/encryption-keys.ts'
import { ensureModulePartitions } from '../../server/maintain-partitions.ts'
import { createIntakeWriter } from '../../server/modules/events/event-intakes.ts'
import { recordEvents } from '../../server/modules/events/record-events.ts'
import type { EventInput } from '../../server/modules/events/recorded-event.ts'
import type { Module } from '../../server/modules/module.ts'
import type { EndpointDeps } from '../../server/modules/webhooks/manage-endpoints.ts'
import { createMetrics } from '../../server/platform/metrics/metrics.ts'
import type { GuardedClient } from '../../server/platform/net/guarded-client.ts'
import { createLogger } from '../../server/platform/telemetry/logger.ts'
import { PATIENCE } from './patience.ts'
import type { TestDatabase } from './postgres.ts'

/** Long enough for a run under load to end by itself. */
const STOP_GRACE_MS = 20_000

/**
 * One process of the service without its public port: intake, consumer groups, workers and the operations on webhook
 * endpoints, put together as `server/main.ts` does, in this process.
 */
export type Service = {
  pools: Pools
  endpoints: EndpointDeps
  /** Records events as POST /events does. Resolves when they are durable. */
  record(workspaceId: string, events: readonly EventInput[]): Promise<void>
  /** Lines it has logged, warnings and worse. */
  logged(): readonly string[]
  /** Lets what runs end, gives the rest back and disconnects. */
  stop(): Promise<void>
}

export type ServiceOptions = {
  /** Instead of 15 s for a delivery attempt. */
  deadlineMs?: number
  /** How often groups and workers look that nobody wakes. */
  pollMs?: number
  /** False when the test itself makes and drops partitions: the job `maintain_partitions` then has none to do it with. */
  maintainsPartitions?: boolean
  /** Settings beside those every service has. */
  env?: Record<string, string>
}

/** Every service of a test file opens the secrets that another one of it has sealed. */
const ENCRYPTION_KEY = randomBytes(32).toString('base64')

/** Starts a process on a database of the test's own. It delivers to loopback. */
export async function startService(database: TestDatabase, options: ServiceOptions = {}): Promise<Service> {
  const config = readConfig({ WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8', ENCRYPTION_KEY, ...PATIENCE, ...options.env })
  const login = { url: database.url, role: undefined }
  await migrateDatabase(login)
  const lines: string[] = []
  const log = createLogger({ level: 'warn', format: 'json', destination: { write: (line) => lines.push(line) } })
  const onError = (error: unknown) => log.error(error)
  const { waker, epoch: _, end, ...pools } = createPools(config, { ...login, onError })
  const metrics = createMetrics({ version: '0.0.0', commit: 'test', providers: PROVIDERS })
  const client = outgoingClient(config)
  const polling = options.pollMs === undefined ? {} : { pollMs: options.pollMs }
  const parts = { config, pools, keys: keysOf(config.encryptionKey!) }
  const modules = composeModules({
    ...parts,
    client: withDeadline(client, options.deadlineMs),
    onAttempt: metrics.jobAttempt,
    onCommitted: () => undefined,
    onError,
  })
  await ensureModulePartitions(pools.sql, modules)
  const running = options.maintainsPartitions === false ? modules.map(withoutPartitions) : modules
  const background = await startBackground({ pools, waker, metrics, log, ...polling }, running)
  const intake = createIntakeWriter({ sql: pools.sql, onCommitted: () => undefined })
  return {
    pools,
    endpoints: commandEndpoints(parts),
    record: (workspaceId, events) => recordEvents({ intake }, { workspaceId, events }),
    logged: () => lines,
    async stop() {
      await background.stop(STOP_GRACE_MS)
      await Promise.all(modules.map((module) => module.close?.()))
      await client.close()
      await metrics.close()
      await end()
    },
  }
}

function withoutPartitions({ partitions: _, ...module }: Module): Module {
  return module
}

function withDeadline(client: GuardedClient, deadlineMs: number | undefined): GuardedClient {
  if (deadlineMs === undefined) return client
  return { send: (request) => client.send({ ...request, deadlineMs }), close: () => client.close() }
}
