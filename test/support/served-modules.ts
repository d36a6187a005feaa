import type pg from 'pg'
import { createPools, migrateDatabase, type Pools } from '../../server/app.ts'
import { PROVIDERS } from '../../server/catalogue/providers.ts'
import { composeModules, outgoingClient } from '../../server/compose.ts'
import { readConfig } from '../../server/config.ts'
import { keysOf } from '../../server/encryption-keys.ts'
import { createPublicApp, listenPublicly } from '../../server/http.ts'
import { ensureModulePartitions } from '../../server/maintain-partitions.ts'
import { type SecretBox, secretBox } from '../../server/platform/crypto/secret-box.ts'
import type { Waker } from '../../server/platform/jobs/wake.ts'
import { createMetrics } from '../../server/platform/metrics/metrics.ts'
import { createLogger } from '../../server/platform/telemetry/logger.ts'
import { freePort } from './instance.ts'
import { PATIENCE } from './patience.ts'
import { createTestDatabase, type TestDatabase } from './postgres.ts'
import { type BehindTheBack, behindTheBack } from './tested-instance.ts'

/** The public server of all modules in this process, on a database of its own; no group and no worker runs. */
export type ServedModules = {
  database: TestDatabase
  pools: Pools
  waker: Waker
  instance: BehindTheBack & { baseUrl: string }
  /** Of its keys, for what is sealed behind its back. */
  secrets: SecretBox
  stop(): Promise<void>
}

/** `onSql` gets hold of the pool of requests before anything uses it. */
export async function serveModules(onSql: (sql: pg.Pool) => void = () => undefined): Promise<ServedModules> {
  const database = await createTestDatabase()
  const port = await freePort()
  const config = readConfig({
    PORT: String(port),
    HOST: '127.0.0.1',
    ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64'),
    WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    ...PATIENCE,
  })
  const login = { url: database.url, role: undefined }
  await migrateDatabase(login)
  const nothing = () => undefined
  const { waker, epoch, end, ...pools } = createPools(config, { ...login, onError: nothing })
  onSql(pools.sql)
  const metrics = createMetrics({ version: '0.0.0', commit: 'test', providers: PROVIDERS })
  const log = createLogger({ level: 'fatal', format: 'json', destination: { write: () => undefined } })
  const client = outgoingClient(config)
  const reports = { onAttempt: nothing, onCommitted: nothing, onError: nothing }
  const modules = composeModules({ config, pools, keys: keysOf(config.encryptionKey!), client, ...reports })
  await ensureModulePartitions(pools.sql, modules)
  const app = await createPublicApp({ config, pools, waker, epoch, metrics, log, modules })
  const http = await listenPublicly(app, config)
  return {
    database,
    pools,
    waker,
    secrets: secretBox(keysOf(config.encryptionKey!)),
    instance: { baseUrl: `http://127.0.0.1:${port}`, ...behindTheBack(database) },
    async stop() {
      await http.close({ graceMs: 5_000 })
      await Promise.all(modules.map((module) => module.close?.()))
      await client.close()
      await metrics.close()
      await end()
      await database.drop()
    },
  }
}
