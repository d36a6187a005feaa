import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFile, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { send } from '../support/http-client.ts'
import { type Instance, startInstance } from '../support/instance.ts'
import { PATIENCE } from '../support/patience.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { makeTempDir } from '../support/test-data-dir.ts'
import { withClient } from '../support/test-server.ts'

/* Backups as the guide has them: its commands, run as they stand by somebody in the directory of an embedded database. */

const ROOT = path.join(import.meta.dirname, '..', '..')

let place: string
let instance: Instance | undefined
let server: TestDatabase
let commands: readonly string[]

before(async () => {
  place = await makeTempDir()
  await symlink(path.join(ROOT, 'postroom'), path.join(place, 'postroom'))
  const guide = await readFile(path.join(ROOT, 'docs', 'guides', 'operations.md'), 'utf8')
  const chapter = guide.split('\n## Backup and restore\n')[1]!.split('\n## ')[0]!
  commands = [...chapter.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!)
  server = await createTestDatabase({ migrated: false })
})
after(async () => {
  await instance?.stop()
  await server.drop()
  await rm(place, { recursive: true, force: true })
})

/** Commands of the guide in a shell, in the directory that they are written for. */
async function run(script: string): Promise<string> {
  const { PATH, NODE_COMPILE_CACHE = '' } = process.env
  const env = { HOME: place, PATH, DATA_DIR: path.join(place, '.postroom'), NODE_COMPILE_CACHE, ...PATIENCE }
  const child = spawn('sh', ['-ec', script], { cwd: place, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  assert.equal(code, 0, `${script}\n${out}${err}`)
  return out
}

const call = async (method: string, at: string, json?: object) => {
  const answer = await send(method, `${instance!.baseUrl}/api${at}`, {
    token: env.BOOTSTRAP_TOKEN,
    ...(json ? { json } : {}),
  })
  assert.ok(answer.status < 300, `${method} ${at}: ${answer.text}`)
  return answer.json
}
const env = { BOOTSTRAP_TOKEN: 'a'.repeat(40), MAILBOX_ADDR: 'off' }

test('the commands of the guide back up a running service, restore it beside itself, and move it to a server', async () => {
  instance = await startInstance({ dataDir: path.join(place, '.postroom'), env })
  await call('POST', '/contacts', { email: 'ada@example.com' })
  const [backup, restore, move] = commands as [string, string, string]
  assert.match(
    await run(backup),
    /^postroom\.backup: \d+ rows of \d+ tables as of .*, [1-9][\d.]* [KM]B\.\n.*whole[\s\S]*whole/,
  )

  await call('POST', '/contacts', { email: 'later@example.com' })
  await call('POST', '/emails', { destination: 'someone@example.com', subject: 'Hello', text: 'Hello' })
  assert.match(await run(restore), /rows are restored[\s\S]*Held since .*: /)
  await instance.stop()
  const ENCRYPTION_KEY = await readFile(path.join(place, '.postroom', 'encryption.key'), 'utf8')
  instance = await startInstance({ dataDir: path.join(place, '.restored'), env: { ...env, ENCRYPTION_KEY } })
  assert.deepEqual((await call('GET', '/contacts')).items.length, 1, 'its token is that of before')
  assert.match(instance.output(), /"toGetIn":"logins and tokens are those of before; /)
  await instance.stop()
  instance = undefined

  const moved = await run(move.replace(/postgres:[^"]*/, server.url))
  assert.match(moved, /Sending and deliveries go on[\s\S]*Start the service with DATABASE_URL/)
  const { rows } = await withClient(server.superuserUrl, (client) =>
    client.query(`select array(select email from contacts order by id) as people, (select count(*)::int from message_queue) as queued,
      (select held_since is null from installation) as "goesOn"`),
  )
  assert.deepEqual(rows, [{ people: ['ada@example.com', 'later@example.com'], queued: 1, goesOn: true }])
  assert.match(await run('./postroom restored --status'), /^Held since /, 'the old one sends nothing more')
  await assert.rejects(run(move.replace(/postgres:[^"]*/, server.url)), /the database is held: look, and say/)
})
