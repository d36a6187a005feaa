import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { PACKED, placeOfPack } from '../../bin/packed-packages.js'

/*
 * Hundreds of services and test files start in a run: packages that none of them uses cost it minutes of a processor. Packed ones
 * are in files of another name, so what is asked is a process that reads them as npm laid them.
 */

const TELLS_AT_ITS_END = `
  import { registerHooks } from 'node:module'
  const loaded = new Set()
  registerHooks({
    load(url, context, nextLoad) {
      loaded.add(url.split('/node_modules/').slice(1).pop())
      return nextLoad(url, context)
    },
  })
  process.on('exit', () => console.log(JSON.stringify([...loaded].filter(Boolean))))
`
const LOADED_AS_THE_SERVICE = ['resolve-once', 'strip-once'].map((name) => `--import=./bin/${name}.js`)

/** What a script loads, as paths below `node_modules`. */
async function loadedBy(script: string, env: Record<string, string> = {}): Promise<string[]> {
  const args = [...LOADED_AS_THE_SERVICE, '--input-type=module', '--eval', `${TELLS_AT_ITS_END}\n${script}`]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } })
  return JSON.parse(stdout.trim().split('\n').at(-1)!)
}

async function packagesOf(script: string): Promise<ReadonlySet<string>> {
  const paths = await loadedBy(script, { POSTROOM_UNPACKED: '1' })
  return new Set(paths.map((path) => path.split('/', path.startsWith('@') ? 2 : 1).join('/')))
}

const A_DATABASE = `await import('./test/support/postgres.ts')`
const A_SERVICE = `
  await import('./server/start-alone.ts')
  const { quietServer } = await import('./test/support/quiet-server.ts')
  const app = quietServer({ trustProxy: false, https: false })
  await app.ready()
  await app.close()
`

test('a test file that only wants a database loads no job queue', async () => {
  const loaded = await packagesOf(A_DATABASE)
  assert.ok(loaded.has('pg'))
  assert.ok(!loaded.has('pg-boss'))
})

test('a service that listens for no mail loads no mail server, and no validators but its own', async () => {
  const loaded = await packagesOf(A_SERVICE)
  assert.ok(loaded.has('fastify'))
  const spared = ['smtp-server', '@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler']
  assert.deepEqual(
    spared.filter((name) => loaded.has(name)),
    [],
  )
})

test('what every start loads is packed by the installation, and is read from there', async () => {
  assert.ok(existsSync(placeOfPack()), 'npm ci has packed nothing: node bin/pack-packages.js says why')
  const loaded = await loadedBy(A_SERVICE)
  const lying = PACKED.filter((name) => loaded.some((path) => path.startsWith(`${name.split('/', 1)[0]}/`)))
  assert.deepEqual(
    lying.filter((name) => !name.startsWith('@')),
    [],
  )
  assert.ok(loaded.length < 150, `${loaded.length} files of packages`)
})
