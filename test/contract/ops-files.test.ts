import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, matchesGlob, relative } from 'node:path'
import { test } from 'node:test'

const ROOT = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
const CHART = 'ops/helm/postroom'

/** Whether `.dockerignore` keeps a file out of the image: patterns without a slash are of the root alone, as docker has it. */
const IGNORED = read('.dockerignore')
  .split('\n')
  .filter((line) => line !== '')
const isLeftOut = (path: string) =>
  IGNORED.some((pattern) => matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`))

/** All that the program reads while it runs, and all that building it takes. */
const NEEDED = [
  ...['package.json', 'package-lock.json', 'postroom', 'README.md', 'tsconfig.json'],
  ...['bin', 'server', 'migrations', 'dashboard', 'tracker', 'sdk/src', 'docs/guides', 'docs/examples'],
]
function filesOf(path: string): string[] {
  if (statSync(new URL(path, ROOT)).isFile()) return [path]
  const files = readdirSync(new URL(`${path}/`, ROOT), { recursive: true, withFileTypes: true })
  return files.filter((file) => file.isFile()).map((file) => relative(ROOT.pathname, join(file.parentPath, file.name)))
}

/** Secrets, and what is made on a machine by itself. */
const KEPT_OUT = [
  ...['.git/config', '.postroom/encryption.key', '.restored/postgres/base/1', 'node_modules/pg/package.json'],
  ...['dashboard/dist/current', 'postroom.backup', 'data/encryption.key', 'elsewhere/credentials.txt'],
  ...['ops/postroom.env', 'ops/database.env', '.env', 'server.log'],
]

test('the image has all that the program needs, and no secret of the machine that builds it', () => {
  for (const path of NEEDED) {
    const out = filesOf(path).filter((file) => !/^dashboard\/dist\//.test(file) && isLeftOut(file))
    assert.deepEqual(out, [], path)
  }
  for (const path of KEPT_OUT) assert.ok(isLeftOut(path), path)
  const steps = read('ops/Containerfile')
  assert.match(steps, /^COPY \. \.$/m, 'everything comes in, so that nothing is forgotten')
  assert.match(steps, /^COPY --from=build \/opt\/postroom \/opt\/postroom$/m)
})

/** Leaves of `values.yaml`, by their paths: mappings by indentation and in braces. */
function valuesOf(text: string): string[] {
  const above: { indent: number; name: string }[] = []
  return text.split('\n').flatMap((line) => {
    const [, spaces = '', name, rest = ''] = /^( *)([A-Za-z_]+):\s*(.*)$/.exec(line.replace(/(^|\s)#.*$/, '')) ?? []
    if (name === undefined) return []
    while (above.length > 0 && above.at(-1)!.indent >= spaces.length) above.pop()
    const path = [...above.map((one) => one.name), name].join('.')
    if (rest !== '') return [path]
    above.push({ indent: spaces.length, name })
    return []
  })
}

const FUNCTIONS = new Set([
  'if',
  'with',
  'range',
  'end',
  'default',
  'quote',
  'toYaml',
  'nindent',
  'list',
  'index',
  'ternary',
  'eq',
  'define',
  'include',
  'trim',
  'has',
  'fail',
  'printf',
  'required',
  'kindIs',
  'toJson',
])

test('the chart uses each of its values, no other, and closes each of its blocks', () => {
  const values = valuesOf(read(`${CHART}/values.yaml`))
  const used = new Set<string>()
  for (const file of readdirSync(new URL(`${CHART}/templates/`, ROOT))) {
    const text = read(`${CHART}/templates/${file}`).replaceAll(/\{\{- \/\*[\s\S]*?\*\/\}\}/g, '')
    let open = 0
    for (const [, action = ''] of text.matchAll(/\{\{-?\s*([\s\S]*?)\s*-?\}\}/g)) {
      const [word = ''] = action.split(' ')
      if (['if', 'with', 'range', 'define'].includes(word)) open++
      if (word === 'end') open--
      assert.ok(open >= 0, `${file}: an end too many`)
      for (const [path] of action.matchAll(/(?<=\.Values\.)[\w.]+/g)) used.add(path)
      for (const [, path] of action.matchAll(/\$own\.(\w+)/g))
        for (const role of ['web', 'worker']) used.add(`${role}.${path}`)
      const bare = action.replaceAll(/"[^"]*"|\$?\w*\.[\w.]+|\$\w+/g, '')
      for (const [name] of bare.matchAll(/[a-zA-Z]\w*/g)) assert.ok(FUNCTIONS.has(name), `${file}: ${name}`)
    }
    assert.equal(open, 0, `${file}: a block is left open`)
    assert.doesNotMatch(text.replaceAll(/\{\{-?[\s\S]*?\}\}/g, ''), /\{\{|\}\}/, file)
    assert.doesNotMatch(text, /\t/, 'YAML has no tabs')
  }
  const isOf = (leaf: string, path: string) => leaf === path || leaf.startsWith(`${path}.`)
  for (const path of used)
    assert.ok(
      values.some((leaf) => isOf(leaf, path)),
      `${path} is in values.yaml`,
    )
  for (const leaf of values)
    assert.ok(
      [...used].some((path) => isOf(leaf, path)),
      `${leaf} is used`,
    )
})

test('compose file, chart and unit name settings that there are', () => {
  const settings = new Set([...read('docs/guides/settings.md').matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name!))
  const own = ['POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_PASSWORD', 'SYSTEM_SMTP_URL']
  const named = (path: string, pattern: RegExp) =>
    [...read(path).matchAll(pattern)].map(([, name]) => `${path}: ${name}`)
  const found = [
    ...named('ops/compose.yaml', /\b([A-Z][A-Z_]{3,}): /g),
    ...named(`${CHART}/templates/processes.yaml`, /name: ([A-Z_]{3,}),/g),
    ...named(`${CHART}/values.yaml`, /^ {2}([A-Z_]{3,}):/gm),
    ...named('ops/Containerfile', /^ENV (\w+)=/gm),
    ...named('ops/systemd/postroom.service', /^Environment=(\w+)=/gm),
  ]
  assert.ok(found.length > 8)
  const unknown = found.filter((one) => ![...settings, ...own].includes(one.split(': ')[1]!))
  assert.deepEqual(unknown, [])
})

test('a container is asked for its health alike, whatever program builds and runs it', () => {
  const [, ofImage] = /^HEALTHCHECK [^\n]*\\\n\s+CMD (\[.*\])$/m.exec(read('ops/Containerfile'))!
  const [, ofCompose] = /^x-postroom: [\s\S]*?^ {2}healthcheck:\n {4}test: \["CMD", (.*)$/m.exec(
    read('ops/compose.yaml'),
  )!
  assert.equal(`[${ofCompose}`, ofImage)
})

test('the settings that the guide writes for compose are lines that every reader of them takes alike', () => {
  const [, lines = ''] = /cat > ops\/postroom\.env <<END\n([\s\S]*?)\nEND\n/.exec(read('ops/README.md')) ?? []
  assert.match(lines, /^ENCRYPTION_KEY=/m)
  for (const line of lines.split('\n')) assert.match(line, /^[A-Z_]+=[^'"#]+$/, line)
})
