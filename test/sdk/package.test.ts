import assert from 'node:assert/strict'
import { readdir, readFile, realpath } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { build, type Rollup } from 'vite'
import { VERSION } from '../../sdk/src/version.ts'
import { withSamples } from '../../server/samples/add-samples.ts'
import type { Sample } from '../../server/samples/languages.ts'
import { declaredApi } from '../support/route-table.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type InstalledClient, installClient, ROOT, run } from './installed-client.ts'
import { ALL_USED, startSilent, USER_COMMAND, USER_PROGRAM } from './user-program.ts'
import { USES_OF_TYPES } from './uses-of-types.ts'

const KILOBYTE = 1_000
const TSC = join(ROOT, 'node_modules', '.bin', 'tsc')

let installed: InstalledClient
let instance: TestedInstance

before(async () => {
  ;[installed, instance] = await Promise.all([installClient(), startTestedInstance()])
  const { sql, baseUrl, token } = instance
  const post = (path: string, body: object) =>
    fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const config = { kind: 'smtp', host: '127.0.0.1', port: 1, tls: 'none', from: 'news@sender.example' }
  await post('/api/integrations', { name: 'relay', isDefault: true, config })
  await post('/api/sending-domains', { domain: 'sender.example' })
  await sql('update sending_domain_keys set verified_at = now()')
})
after(async () => {
  await instance?.close()
  await installed?.remove()
})

test('the package has what it is used by, and nothing else', async () => {
  const [first, ...others] = installed.packed.filter((path) => !path.startsWith('dist/')).toSorted()
  assert.deepEqual([first, ...others], ['LICENSE', 'README.md', 'package.json'])
  const manifest = JSON.parse(await readFile(join(ROOT, 'sdk', 'package.json'), 'utf8'))
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  assert.deepEqual([manifest.version, VERSION], [version, version])
  assert.equal(manifest.dependencies, undefined)
  const { messages } = await publint({
    pkgDir: join(installed.folder, 'node_modules', '@postroom', 'client'),
    pack: false,
    strict: true,
  })
  assert.deepEqual(messages, [])
})

/** Every Node.js of this machine that the client is for: the one of the tests, and those on the way to commands. */
async function nodes(): Promise<string[]> {
  const places = (process.env.PATH ?? '').split(delimiter).filter((place) => !place.includes('node_modules'))
  const files = await Promise.all(places.map((place) => realpath(join(place, 'node')).catch(() => undefined)))
  const found = [process.execPath]
  for (const node of new Set(files.filter((file) => file !== undefined))) {
    const version = await run(node, ['--version'], { cwd: installed.folder })
    if (Number(version.slice(1).split('.')[0]) >= 20) found.push(node)
  }
  return found
}

test('it runs where a user has installed it, on each Node.js of this machine', async (t) => {
  await installed.write('program.mjs', USER_PROGRAM)
  await installed.write('main.mjs', USER_COMMAND)
  const silent = await startSilent()
  t.after(() => silent.close())
  const { baseUrl, token } = instance
  for (const [n, node] of (await nodes()).entries()) {
    const given = { act: 'useAll', name: `node-${n}`, baseUrl, token, silentUrl: silent.url }
    const said = await run(node, ['main.mjs', JSON.stringify(given)], { cwd: installed.folder })
    assert.deepEqual(JSON.parse(said), ALL_USED)
    t.diagnostic(await run(node, ['--version'], { cwd: installed.folder }))
  }
})

/** The samples of the reference that are in its language, as files. */
async function writeSamplesOfReference(): Promise<string[]> {
  const { paths } = withSamples(await declaredApi())
  const samples = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId, 'x-codeSamples': own }) => ({ operationId, own: own as Sample[] })),
  )
  return await Promise.all(
    samples.map(async ({ operationId, own }) => {
      const { source } = own.find(({ lang }) => lang === 'typescript')!
      await installed.write(`${operationId}.ts`, source)
      return `${operationId}.ts`
    }),
  )
}

test('its types find mistakes, the samples of the reference have none, and those of the guide run', async () => {
  const guide = await readFile(join(ROOT, 'docs', 'guides', 'client.md'), 'utf8')
  const samples = [...guide.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, sample]) => sample!)
  assert.ok(samples.length >= 10)
  const names = samples.map((_, n) => `sample-${n}.ts`)
  for (const [n, sample] of samples.entries()) await installed.write(names[n]!, sample)
  await installed.write('uses-of-types.ts', USES_OF_TYPES)
  const strict = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--noEmit',
    '--target',
    'es2023',
  ]
  const node = ['--module', 'nodenext', '--lib', 'es2023,esnext.disposable', '--types', 'node']
  const reference = await writeSamplesOfReference()
  assert.ok(reference.length > 150)
  await run(TSC, [...strict, ...node, 'uses-of-types.ts', ...names, ...reference], { cwd: installed.folder })
  // One after the other, in one process: a later one may meet what an earlier one has made.
  await installed.write('samples.mjs', names.map((name) => `await import('./${name}')`).join('\n'))
  const env = { POSTROOM_URL: instance.baseUrl, POSTROOM_TOKEN: instance.token }
  const said = await run(process.execPath, ['samples.mjs'], { cwd: installed.folder, env })
  for (const line of [/^\d+ queued$/m, /^ada@example\.com$/m, /quicker/, /known already: \/email/, /welcome ada/])
    assert.match(said, line)
})

/** Bytes of an entry as a bundler of a user's packs it, without what is made from the API. */
async function packedBytes(entry: string): Promise<number> {
  const made = (await build({
    ...{ configFile: false, logLevel: 'silent', root: installed.folder },
    build: {
      ...{ write: false, minify: true, target: 'es2023' },
      lib: {
        entry: join(installed.folder, 'node_modules', '@postroom', 'client', 'dist', `${entry}.js`),
        formats: ['es'],
      },
      rollupOptions: { external: [/generated\/operations/] },
    },
  })) as Rollup.RollupOutput[]
  const [chunk] = made[0]!.output
  return gzipSync(chunk.code, { level: 9 }).length
}

test('the runtime is small', async (t) => {
  for (const [entry, limitBytes] of [
    ['main', 5],
    ['webhooks', 2],
    ['identity', 1],
    ['nodemailer', 3],
  ] as const) {
    const bytes = await packedBytes(entry)
    t.diagnostic(`${entry}: ${bytes} bytes`)
    assert.ok(bytes <= limitBytes * KILOBYTE, `${entry} has ${bytes} bytes`)
  }
  const dist = join(installed.folder, 'node_modules', '@postroom', 'client', 'dist')
  const operations = await readFile(join(dist, 'generated', 'operations.js'))
  t.diagnostic(`table of operations: ${gzipSync(operations, { level: 9 }).length} bytes`)
  // Nothing of one platform alone.
  for (const name of (await readdir(dist)).filter((file) => file.endsWith('.js')))
    assert.doesNotMatch(await readFile(join(dist, name), 'utf8'), /\bnode:|\bprocess\.|\bBuffer\b|\brequire\(/, name)
})
