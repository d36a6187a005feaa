import assert from 'node:assert/strict'
import { access, glob, readFile } from 'node:fs/promises'
import { dirname, join, matchesGlob } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import manifest from '../../package.json' with { type: 'json' }
import { CONTACT_FIELDS } from '../../server/catalogue/contact-fields.ts'
import { SYSTEM_NAMES } from '../../server/catalogue/domain-events.ts'
import { PROBLEMS } from '../../server/catalogue/problems.ts'
import { SCOPES } from '../../server/catalogue/scopes.ts'
import { readConfig } from '../../server/config.ts'
import { CONNECTIONS_PER_TOKEN } from '../../server/modules/submission/submission-setting.ts'
import { readMigrations } from '../../server/platform/db/migrate.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SETTINGS = 'docs/guides/settings.md'
const read = (path: string) => readFile(join(ROOT, path), 'utf8')

/** The first cells of a document's table rows, where they are code: `| \`PORT\` | …`. */
function firstCells(text: string): string[] {
  return [...text.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]!)
}

/** The part of a document under a heading. */
function section(text: string, heading: string): string {
  const [, after] = text.split(`\n## ${heading}\n`)
  assert.ok(after, `there is a heading "${heading}"`)
  return after.split('\n## ')[0]!
}

test('the guide to settings lists every setting and no other', async () => {
  const asked = new Set<string>()
  readConfig(new Proxy<Record<string, string | undefined>>({}, { get: (_, name) => void asked.add(String(name)) }))
  // Only tests set them; CONTRIBUTING.md tells how.
  for (const ofTests of ['POSTROOM_CRASH_POINT', 'POSTROOM_PATIENCE']) asked.delete(ofTests)
  const listed = firstCells(section(await read(SETTINGS), 'Settings'))
  assert.deepEqual(listed.toSorted(), [...asked].sort())
})

test('the README names settings that there are', async () => {
  const known = new Set(firstCells(section(await read(SETTINGS), 'Settings')))
  const named = [...section(await read('README.md'), 'Settings and commands').matchAll(/`([A-Z][A-Z_]{3,})`/g)]
  assert.ok(named.length > 5)
  for (const [, name] of named) assert.ok(known.has(name!), name)
})

test('the README leads to every guide', async () => {
  const more = section(await read('README.md'), 'More')
  for await (const path of glob('docs/guides/*.md', { cwd: ROOT })) assert.ok(more.includes(`](${path})`), path)
})

test('files that run the service name settings that there are', async () => {
  const known = new Set(firstCells(section(await read(SETTINGS), 'Settings')))
  const places: [path: string, names: RegExp][] = [
    ['ops/Containerfile', /(?<=^ENV .*)\b([A-Z_]+)=/gm],
    ['ops/compose.yaml', /^ {4}environment: .*$/gm],
    ['ops/systemd/postroom.service', /(?<=^Environment=.*?)\b([A-Z_]+)=/gm],
    ['ops/helm/postroom/values.yaml', /^ {2}([A-Z_]+):/gm],
    ['ops/helm/postroom/templates/processes.yaml', /name: ([A-Z_]+),/g],
  ]
  for (const [path, names] of places) {
    const found = [...(await read(path)).matchAll(names)].flatMap(
      ([all, name]) => name ?? [...all.matchAll(/[A-Z_]{4,}/g)].map(String),
    )
    assert.ok(found.length > 0, path)
    for (const name of found) assert.ok(known.has(name), `${path} names ${name}`)
  }
})

test('the defaults in the guide to settings are those of the settings', async () => {
  const config = readConfig({})
  const rows = [...section(await read(SETTINGS), 'Settings').matchAll(/^\| `([A-Z_]+)` \| `([^`]+)` \|/gm)]
  const listed = Object.fromEntries(rows.map(([, name, value]) => [name!, value!]))
  assert.deepEqual(listed, {
    PORT: String(config.port),
    HOST: config.host,
    DATA_DIR: '.postroom',
    DB_MAX_OPEN_CONNS: String(config.dbMaxOpenConns),
    PGX_MAX_CONNS: String(config.pgxMaxConns),
    ROLE: config.role,
    EDITION: config.edition,
    POSTROOM_COPY: String(config.copy),
    BOOTSTRAP_EMAIL: 'owner@postroom.localhost',
    WEBHOOK_ENDPOINTS_MAX: String(config.webhookEndpointsMax),
    LOG_LEVEL: config.logLevel,
    EVENTS_RETENTION_DAYS: String(config.eventsRetentionDays),
    ANONYMOUS_RETENTION_DAYS: String(config.anonymousRetentionDays),
    MESSAGES_RETENTION_DAYS: String(config.messagesRetentionDays),
    OUTBOX_RETENTION_DAYS: String(config.outboxRetentionDays),
    RATE_LIMIT_API: String(config.rateLimits.api),
    RATE_LIMIT_SITE: String(config.rateLimits.site),
    RATE_LIMIT_FAILURES: String(config.rateLimits.failures),
    RATE_LIMIT_COLLECT: String(config.collectLimits.tracker),
    RATE_LIMIT_COLLECT_IP: String(config.collectLimits.address),
    RATE_LIMIT_IDENTIFY: String(config.collectLimits.identify),
    SUBMISSION_CONNECTIONS_PER_TOKEN: String(CONNECTIONS_PER_TOKEN),
    TRUST_PROXY: String(config.trustProxy),
  })
})

test('the guide to errors explains every code with its status', async () => {
  const guide = await read('docs/guides/errors.md')
  for (const { code, status } of Object.values(PROBLEMS)) {
    assert.match(guide, new RegExp(`\\| ${status} \\| \`${code}\` \\||\`${code}\` \\(${status}\\)`), code)
  }
})

test('the guide to contacts lists their core fields as they are', async () => {
  const guide = await read('docs/guides/contacts.md')
  const table = guide.split('\n### Core fields\n')[1]?.split('\n#')[0] ?? ''
  const code = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(', ')
  const rows = CONTACT_FIELDS.map(({ name, column, charsMax, mergeSample, importWords }) => {
    const cells = [
      code([name]),
      charsMax,
      code([column]),
      code(mergeSample === null ? [] : [column]),
      code(importWords),
    ]
    return `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |')
  })
  assert.deepEqual(table.match(/^\| `.*$/gm), rows)
})

test('the guide to tokens names every scope', async () => {
  const guide = await read('docs/guides/tokens.md')
  for (const scope of SCOPES) {
    const family = `${scope.split(':')[0]}:*`
    assert.ok(guide.includes(`\`${scope}\``) || guide.includes(`\`${family}\``), scope)
  }
})

test('the guide to webhooks has every event of the system in its table', async () => {
  const [, after = ''] = (await read('docs/guides/webhooks.md')).split('\n### Events and their data\n')
  const cells = [...after.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell]) => cell!)
  const told = cells.flatMap((cell) => [...cell.matchAll(/`([a-z_.]+)`/g)].map(([, name]) => name!))
  assert.deepEqual(told.filter((name) => name.includes('.')).sort(), [...SYSTEM_NAMES].sort())
})

test('every table of the migrations has its owner in ARCHITECTURE.md', async () => {
  const owners = section(await read('ARCHITECTURE.md'), 'Modules and their tables')
  const migrations = await readMigrations()
  const tables = migrations.flatMap(({ sql }) => [...sql.matchAll(/^create table (\w+)/gm)].map((match) => match[1]!))
  assert.ok(tables.length > 20)
  for (const table of tables) assert.ok(owners.includes(`\`${table}\``), table)
})

test('every dependency has its reason', async () => {
  const reasons = await read('docs/adr/dependencies.md')
  const { dependencies, devDependencies, optionalDependencies } = manifest
  for (const name of Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
    const [scope, part] = name.split('/')
    const known = [name, `${scope}/*`, part].some((text) => text !== undefined && reasons.includes(`\`${text}\``))
    assert.ok(known, name)
  }
})

const OF_THE_SHELL = new Set(['HOME', 'PATH', 'USER'])

/** Commands of a guide or of the README, in the order of the page. */
const commandsOf = (text: string) =>
  [...text.matchAll(/^( *)```sh\n([\s\S]*?)^\1```/gm)].map(([, , block]) => block!).join('')

test('whatever a command of a guide names is made by a command before, and no token is left to be filled in', async () => {
  for await (const path of glob(['README.md', 'docs/guides/*.md', 'ops/README.md'], { cwd: ROOT })) {
    const commands = commandsOf(await read(path)).replaceAll(/'[^']*'/g, "''")
    const named = commands.matchAll(/\$\{?([A-Z][A-Z_]+)\b|(?:-b|--cookie) ([\w.]+)|^ *(api|show) /gm)
    for (const { 0: all, 1: variable, 2: file, 3: word, index } of named) {
      const before = commands.slice(0, index)
      const made = variable
        ? before.match(`(?:^|[ ;\n])${variable}=(?!prt_)`)
        : file
          ? before.includes(`-c ${file}`)
          : // A function: an alias is none in a script.
            (before.match(`^${word}\\(\\) `) ?? before.match(`\n${word}\\(\\) `))
      assert.ok(made || OF_THE_SHELL.has(variable ?? ''), `${path}: ${all}`)
    }
    assert.doesNotMatch(commands, /TOKEN=\S*…/, path)
  }
})

test('what the commands of guides write is nothing of the checkout', async () => {
  const ignored = (await read('.gitignore')).split('\n').filter((line) => line !== '')
  for await (const path of glob(['README.md', 'docs/guides/*.md', 'ops/README.md'], { cwd: ROOT })) {
    const written = commandsOf(await read(path)).matchAll(
      /(?:[^>\d]> |\btee |-o |-c |automation pull \d+ )([\w./-]+\.\w+)/g,
    )
    for (const [, file] of written)
      assert.ok(
        file!.startsWith('/etc/') || ignored.some((line) => matchesGlob(file!, line.replace(/^\//, ''))),
        `${path} writes ${file}`,
      )
  }
})

test('every command of a guide asks one address, by a name that the guide defines before', async () => {
  for await (const path of glob('docs/guides/*.md', { cwd: ROOT })) {
    const blocks = [...(await read(path)).matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block!)
    const commands = blocks.join('').split('\n')
    const defined = commands.findIndex((line) => line.startsWith('export POSTROOM='))
    const asked = commands.findIndex((line, n) => n !== defined && line.includes('$POSTROOM'))
    if (asked >= 0) assert.ok(defined >= 0 && defined < asked, `${path}: ${commands[asked]}`)
    for (const [n, line] of commands.entries()) {
      if (n !== defined)
        assert.doesNotMatch(line, /localhost:3000|\$(?:BASE|URL)\b|'\w+: \$POSTROOM/, `${path}: ${line}`)
    }
  }
})

test('every link inside the documents leads to a file and a heading', async () => {
  const documents: string[] = []
  for await (const path of glob(['*.md', 'docs/**/*.md'], { cwd: ROOT })) documents.push(path)
  assert.ok(documents.length > 10)
  for (const path of documents) {
    for (const [, target = ''] of (await read(path)).matchAll(/\]\(([^)]+)\)/g)) {
      if (/^https?:/.test(target)) continue
      const [file = '', anchor] = target.split('#')
      const linked = file === '' ? path : join(dirname(path), file)
      await access(join(ROOT, linked)).catch(() => assert.fail(`${path} links to ${target}, which is not there`))
      if (anchor === undefined) continue
      const headings = [...(await read(linked)).matchAll(/^#+ (.+)$/gm)].map((match) => anchorOf(match[1]!))
      assert.ok(headings.includes(anchor), `${path} links to ${target}, a heading that is not there`)
    }
  }
})

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}
