import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { build } from 'vite'
import { eventually } from '../support/eventually.ts'
import { freePort, type Instance, startInstance } from '../support/instance.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { behindTheBack } from '../support/tested-instance.ts'
import { type InstalledClient, installClient, run } from './installed-client.ts'
import { ALL_USED, startSilent, USER_COMMAND, USER_PROGRAM, USER_WORKER, workerConfig } from './user-program.ts'

/*
 * The packed client in Deno, Bun and workerd, which runs workers: each uses all of it once, and sends mails to a server that is killed
 * meanwhile. `npm run test:runtimes` installs the runtimes for the run alone: they are a quarter of a gigabyte that nothing else needs.
 */

const RUNTIMES = ['deno@2.9.6', 'bun@1.4.4', 'workerd@1.20261117.1']
/** RUNTIME_SENDS=2000 RUNTIME_KILLS=5 for more of both. */
const SENDS = Number(process.env.RUNTIME_SENDS ?? 300)
const KILLS = Number(process.env.RUNTIME_KILLS ?? 2)

type Act = (given: { act: 'useAll' | 'sendMany'; name: string } & Record<string, unknown>) => Promise<string>

const place = await mkdtemp(join(tmpdir(), 'postroom-runtimes-'))
const database = await createTestDatabase()
const { sql } = behindTheBack(database)
const [port, workerPort] = [await freePort(), await freePort()]
const env = {
  DATABASE_URL: database.url,
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  BOOTSTRAP_TOKEN: randomBytes(24).toString('hex'),
}
const silent = await startSilent()
let instance: Instance
let installed: InstalledClient

before(async () => {
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', place, ...RUNTIMES], { cwd: place })
  installed = await installClient()
  await installed.write('program.mjs', USER_PROGRAM)
  await installed.write('main.mjs', USER_COMMAND)
  await installed.write('worker.mjs', USER_WORKER)
  instance = await startInstance({ port, env })
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${env.BOOTSTRAP_TOKEN}`, 'content-type': 'application/json' }
    await fetch(`${instance.baseUrl}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const config = { kind: 'smtp', host: '127.0.0.1', port: 1, tls: 'none', from: 'news@sender.example' }
  await post('/integrations', { name: 'relay', isDefault: true, config })
  await post('/sending-domains', { domain: 'sender.example' })
  await sql('update sending_domain_keys set verified_at = now()')
})
after(async () => {
  silent.close()
  await instance?.stop()
  await database.drop()
  await installed?.remove()
  await rm(place, { recursive: true, force: true })
})

const program = (name: string) => join(place, 'node_modules', '.bin', name)
const command =
  (name: string, args: readonly string[]): Act =>
  (given) =>
    run(program(name), [...args, 'main.mjs', JSON.stringify(given)], { cwd: installed.folder })

/** The worker as a bundler makes it, in the runtime that workers run in, until the test is over. */
async function startWorker(): Promise<{ act: Act; stop(): Promise<void> }> {
  await build({
    ...{ configFile: false, logLevel: 'silent', root: installed.folder },
    build: {
      ...{ target: 'es2023', minify: false, emptyOutDir: false, outDir: installed.folder },
      lib: { entry: join(installed.folder, 'worker.mjs'), formats: ['es'], fileName: () => 'worker.js' },
    },
  })
  await installed.write('worker.capnp', workerConfig(workerPort))
  const child = spawn(program('workerd'), ['serve', 'worker.capnp'], { cwd: installed.folder, stdio: 'inherit' })
  const url = `http://127.0.0.1:${workerPort}`
  await eventually('the worker', () =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  )
  return {
    async act(given) {
      const answer = await fetch(url, { method: 'POST', body: JSON.stringify(given) })
      const text = await answer.text()
      assert.equal(answer.status, 200, text)
      return text
    },
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

async function uses(name: string, act: Act): Promise<void> {
  const given = { baseUrl: instance.baseUrl, token: env.BOOTSTRAP_TOKEN, silentUrl: silent.url }
  assert.deepEqual(JSON.parse(await act({ act: 'useAll', name, ...given })), ALL_USED)
}

/** Has it send while the server is killed and comes back; each mail is there once, under the id that was answered. */
async function sends(name: string, act: Act): Promise<string> {
  const { baseUrl } = instance
  const stored = () =>
    sql<{ id: string; destination: string }>('select id, destination from messages where destination like $1', [
      `${name}-%@many.example`,
    ])
  const sending = act({ act: 'sendMany', name, baseUrl, token: env.BOOTSTRAP_TOKEN, count: SENDS })
  for (let kill = 1; kill <= KILLS; kill++) {
    await eventually(`kill ${kill}`, async () => (await stored()).length * (KILLS + 1) >= SENDS * kill)
    await instance.kill()
    // Whoever works on a key is given up at once, and not only after as long as a patient server has for an answer.
    await sql('update idempotency_keys set leased_until = now() where status is null')
    instance = await startInstance({ port, env })
  }
  const { sent, calledAgain } = JSON.parse(await sending) as { sent: Record<string, string>; calledAgain: number }
  const messages = await stored()
  assert.equal(messages.length, SENDS, 'lost or doubled')
  assert.deepEqual(new Set(messages.map(({ destination }) => destination)), new Set(Object.keys(sent)))
  for (const { id, destination } of messages) assert.ok(['', id].includes(sent[destination]!), destination)
  return `${SENDS} sends, ${KILLS} kills, ${calledAgain} called again: 0 lost, 0 doubled`
}

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  deno: [
    'run',
    '--no-lock',
    '--cached-only',
    '--node-modules-dir=manual',
    '--allow-net',
    '--allow-read',
    '--allow-env',
  ],
  bun: ['run'],
}

for (const [name, args] of Object.entries(COMMANDS)) {
  test(`${name}: the packed client does all that it does in Node.js, and sends once`, async (t) => {
    t.diagnostic(await run(program(name), ['--version'], { cwd: installed.folder }))
    await uses(name, command(name, args))
    t.diagnostic(await sends(name, command(name, args)))
  })
}

test('workerd: the packed client does all that it does in Node.js, and sends once', async (t) => {
  t.diagnostic(await run(program('workerd'), ['--version'], { cwd: installed.folder }))
  const { act, stop } = await startWorker()
  t.after(stop)
  await uses('workerd', act)
  t.diagnostic(await sends('workerd', act))
})
